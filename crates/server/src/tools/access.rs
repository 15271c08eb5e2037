//! May this caller call a tool? The one place that answers it: for calls, for lists of tools, and for
//! every text that names a tool, since advice that cannot be followed is worse than none.

use super::{Call, TOOLS, Tool};
use crate::{scope::Scopes, settings::Settings};

/// Whether a caller may call a tool, and if not, who could change that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolAccess {
    Granted,
    /// The server has the tool, and the caller's token lacks its scope.
    NeedsScope,
    /// The operator has chosen other toolsets.
    OtherToolset,
    /// The operator has chosen other tools (`--tools`).
    LeftOut,
}

impl Tool {
    pub(crate) fn access(&self, settings: &Settings, scopes: &Scopes) -> ToolAccess {
        let is_offered = self.dialect(settings).is_some();
        if is_offered && scopes.allow_tool(self.toolsets, &settings.toolsets) {
            ToolAccess::Granted
        } else if is_offered {
            ToolAccess::NeedsScope
        } else if settings.tools.is_empty() {
            ToolAccess::OtherToolset
        } else {
            ToolAccess::LeftOut
        }
    }

    /// Whether a caller with these scopes may call it.
    pub(crate) fn is_granted(&self, settings: &Settings, scopes: &Scopes) -> bool {
        self.access(settings, scopes) == ToolAccess::Granted
    }
}

impl Call<'_> {
    /// Whether whoever reads the answer may call a tool.
    pub(crate) fn access(&self, tool: &Tool) -> ToolAccess {
        tool.access(&self.services.settings, self.scopes)
    }

    /// Whether whoever reads the answer may call the tool of this name, so that a text may name it.
    pub(crate) fn can_name(&self, tool: &str) -> bool {
        let mut tools = TOOLS.iter().filter(|it| it.name == tool);
        self.is_inner || tools.any(|tool| self.access(tool) == ToolAccess::Granted)
    }
}
