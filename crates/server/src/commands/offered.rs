//! Which tools `serve` offers: `--toolset` and `--tools`, checked against the tools there are.

use fault::Quoted;

use super::{error::CommandError, terminal::print_message};
use crate::settings::Settings;
use crate::tools::{TOOLS, Tool, Toolset};

/// Checks both settings. Without `--toolset`, the toolsets become those of the named tools.
pub(super) fn choose(settings: &mut Settings) -> Result<(), CommandError> {
    let named = named_tools(settings)?;
    if !named.is_empty() && !settings.origins.contains_key("toolset") {
        settings.toolsets = own_toolsets(&named);
    }
    for tool in &named {
        if tool.dialect(settings).is_none() {
            return Err(outside_toolsets(settings, tool));
        }
    }
    check_toolsets(&settings.toolsets)
}

/// The tools of `--tools`, or the mistake in it.
fn named_tools(settings: &Settings) -> Result<Vec<&'static Tool>, CommandError> {
    let find = |name: &String| {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        tool.ok_or_else(|| no_such_tool(settings, name))
    };
    settings.tools.iter().map(find).collect()
}

fn no_such_tool(settings: &Settings, name: &str) -> CommandError {
    let names = || TOOLS.iter().map(|tool| tool.name);
    let known = match fault::nearest(name, names()) {
        Some(nearest) => format!("the nearest one is {nearest}"),
        None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
    };
    let name = serde_json::to_string(&Quoted::from_input(name)).unwrap_or_default();
    refused(settings, &format!("there is no tool {name}; {known}"))
}

fn outside_toolsets(settings: &Settings, tool: &Tool) -> CommandError {
    let own = tool.toolsets.first().map(|toolset| toolset.as_str());
    let own = own.unwrap_or_default();
    let chosen = names(settings.toolsets.iter());
    refused(
        settings,
        &format!(
            "{} is in none of the chosen toolsets; to offer it too: --toolset {chosen},{own}",
            tool.name
        ),
    )
}

fn refused(settings: &Settings, problem: &str) -> CommandError {
    let origin = settings.origins.get("tools");
    let origin = origin.map_or("--tools", |it| it.place.as_str());
    CommandError::Usage(format!("{origin}: {problem}"))
}

/// The first toolset of each tool, in the order of the toolsets, so that the dialect of a tool does
/// not depend on which other tools are offered.
fn own_toolsets(tools: &[&Tool]) -> Vec<Toolset> {
    let first = |tool: &&Tool| {
        let mut all = Toolset::ALL.into_iter();
        all.find(|toolset| tool.toolsets.contains(toolset))
    };
    let own: Vec<Toolset> = tools.iter().filter_map(first).collect();
    let mut all = Toolset::ALL.to_vec();
    all.retain(|toolset| own.contains(toolset));
    all
}

/// Refuses to start when none of the chosen toolsets has a tool, and warns when only some have.
fn check_toolsets(chosen: &[Toolset]) -> Result<(), CommandError> {
    let has_tools = |toolset: &&Toolset| TOOLS.iter().any(|tool| tool.toolsets.contains(toolset));
    let empty: Vec<&Toolset> = chosen.iter().filter(|set| !has_tools(set)).collect();
    if empty.len() == chosen.len() {
        let usable = names(Toolset::ALL.iter().filter(has_tools));
        return Err(CommandError::Usage(format!(
            "--toolset: this version has no tools in {}; it has some in: {usable}",
            names(empty)
        )));
    }
    // `all` means all there are, so it needs no warning.
    if !empty.is_empty() && chosen.len() < Toolset::ALL.len() {
        print_message(&format!("this version has no tools in {}", names(empty)));
    }
    Ok(())
}

fn names<'t>(toolsets: impl IntoIterator<Item = &'t Toolset>) -> String {
    let names = toolsets.into_iter().map(|toolset| toolset.as_str());
    names.collect::<Vec<_>>().join(",")
}
