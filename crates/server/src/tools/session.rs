//! The code shared by tools that belong to a research session or store their answers.

use engine::Page;
use engine::research::{ItemKind, NewItem, NewResponse};

use super::Call;
use crate::params::{Param, Shape};

pub(super) const SESSION: Param = Param {
    name: "sessionId",
    about: "Research session",
    shape: Shape::Text {
        max_chars: u64::MAX,
    },
    required: false,
    example: "\"ses_1794730000000_abc\"",
};

/// The tool that reads stored responses. Where it is not offered, nothing is stored for it.
pub(super) const READS_STORED: &str = "get_search_content";

/// Stores whole pages, so that all of their text can be read with `get_search_content`, and returns
/// the id of the stored response. Returns `None` if storing fails: the pages are still a good
/// answer.
pub(super) async fn keep_pages(
    call: &Call<'_>,
    tool: &str,
    pages: Vec<(&str, &Page)>,
) -> Option<String> {
    let item = |(url, page): (&str, &Page)| NewItem {
        name: url.to_owned(),
        title: page.metadata.title.clone(),
        text: page.text.clone(),
    };
    let items: Vec<NewItem> = pages.into_iter().map(item).collect();
    if items.is_empty() || !call.can_name(READS_STORED) {
        return None;
    }
    let response = NewResponse {
        tool: tool.to_owned(),
        family: ItemKind::Pages,
        items,
    };
    let kept = call.services.responses.keep(call.tenant, &response).await;
    kept.ok().map(|id| id.to_string())
}
