//! Answers that were too long for one reply, stored so that the rest of their text can be read.
//!
//! A response has items: the pages that were read, or the results of the queries that were asked.
//! An item is selected by its index, its query or its URL; its text is returned in parts, and the
//! cursor of each part leads to the next.

use std::sync::Arc;

use fault::{Case, Fault, Origin, Result};
use mask::Masker;
use serde::{Deserialize, Serialize};

use super::{Limits, fresh_id, from_json_text, iso_time, to_json_text, unix_millis};
use crate::store::{Append, Change, Committed, Precondition, RecordId, Store, TEXTS, Tenant};

const KIND: &str = "response";

/// How many valid selectors are listed when a selector matches no item.
const SHOWN: usize = 5;

/// What the items of a response are, which decides how they can be selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    Queries,
    Pages,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewItem {
    /// The query it answers or the URL it was read from.
    pub name: String,
    pub title: Option<String>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewResponse {
    pub tool: String,
    pub family: ItemKind,
    pub items: Vec<NewItem>,
}

/// An item without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The query it answers or the URL it was read from.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// How many characters of its text are stored.
    pub characters: u64,
    /// Whether its text was longer than what is stored.
    pub truncated: bool,
}

/// A response without its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredResponse {
    pub tool: String,
    /// When it was stored, in milliseconds since 1970.
    #[serde(with = "iso_time")]
    pub created: u64,
    pub family: ItemKind,
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Selector {
    /// By index in a response of either kind; the first is 0.
    Index(u64),
    /// By index among queries.
    QueryIndex(u64),
    /// By index among pages.
    UrlIndex(u64),
    Query(String),
    Url(String),
}

/// The result of a selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected {
    /// A part of an item.
    Found(Excerpt),
    /// No item matches; these selectors would match one.
    Miss(Vec<Selector>),
    /// The response has no items of the kind that the selector is for; these selectors would match
    /// one.
    WrongItemKind(Vec<Selector>),
}

/// A part of an item's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Excerpt {
    pub index: u64,
    pub item: Item,
    pub text: String,
    /// The offset of its first character.
    pub offset: u64,
    /// The offset of the next part; `None` at the end of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<u64>,
}

/// The stored responses of a server.
#[derive(Debug, Clone)]
pub struct StoredResponses {
    store: Arc<dyn Store>,
    limits: Limits,
    masker: Masker,
}

impl StoredResponses {
    /// `masker` hides secrets before the characters of a text are counted.
    pub fn new(store: Arc<dyn Store>, limits: Limits, masker: Masker) -> StoredResponses {
        StoredResponses {
            store,
            limits,
            masker,
        }
    }

    /// Stores a response and returns its id.
    pub async fn keep(&self, tenant: &Tenant, response: &NewResponse) -> Result<String> {
        let (items, rows) = response
            .items
            .iter()
            .map(|item| self.split(response.family, item))
            .unzip();
        let head = StoredResponse {
            tool: response.tool.clone(),
            created: unix_millis(),
            family: response.family,
            items,
        };
        let mut change = Change {
            id: RecordId::new(tenant, KIND, ""),
            precondition: Precondition::New,
            head: Some(to_json_text(&head)),
            rows,
            lives: Some(self.limits.response_lives),
            most: self.limits.responses,
        };
        loop {
            change.id.key = fresh_id("res");
            if let Committed::Done(_) = self.store.commit(&change).await? {
                return Ok(change.id.key);
            }
        }
    }

    pub async fn find(&self, tenant: &Tenant, id: &str) -> Result<StoredResponse> {
        let record = crate::store::get(&*self.store, &RecordId::new(tenant, KIND, id)).await?;
        record
            .map(|record| from_json_text(&record.head))
            .ok_or_else(|| Fault::new(Case::UnknownId, Origin::Local))?
    }

    /// Returns a part of one item: at most `most` characters from `offset` on. Without a selector,
    /// the first item is read.
    pub async fn pick(
        &self,
        tenant: &Tenant,
        id: &str,
        selector: Option<&Selector>,
        offset: u64,
        most: usize,
    ) -> Result<Selected> {
        let response = self.find(tenant, id).await?;
        let selector = selector.map(|selector| self.masked(selector));
        let index = match response.place(selector.as_ref()) {
            Ok(Some(index)) => index,
            Ok(None) => return Ok(Selected::Miss(response.selectors())),
            Err(WrongItemKind) => return Ok(Selected::WrongItemKind(response.selectors())),
        };
        let Some(item) = response.items.get(index).cloned() else {
            return Ok(Selected::Miss(response.selectors()));
        };
        let rows = self
            .store
            .rows(&RecordId::new(tenant, KIND, id), TEXTS, index as u64 + 1, 1)
            .await?;
        // The response may have been replaced by another between the two reads.
        let (_, whole) = rows
            .into_iter()
            .next()
            .ok_or_else(|| Fault::new(Case::UnknownId, Origin::Local))?;
        let text: String = whole
            .chars()
            .skip(usize::try_from(offset).unwrap_or(usize::MAX))
            .take(most.max(1))
            .collect();
        let end = offset.saturating_add(text.chars().count() as u64);
        let cursor = (end < item.characters && !text.is_empty()).then_some(end);
        Ok(Selected::Found(Excerpt {
            index: index as u64,
            item,
            text,
            offset,
            cursor,
        }))
    }

    /// Names an item as it is stored.
    fn masked(&self, selector: &Selector) -> Selector {
        match selector {
            Selector::Url(url) => Selector::Url(self.masker.mask(url).into_owned()),
            Selector::Query(query) => {
                Selector::Query(self.masker.mask_configured(query).into_owned())
            }
            by_index => by_index.clone(),
        }
    }

    fn masked_name(&self, family: ItemKind, name: &str) -> String {
        match family {
            ItemKind::Pages => self.masker.mask(name).into_owned(),
            ItemKind::Queries => self.masker.mask_configured(name).into_owned(),
        }
    }

    fn split(&self, family: ItemKind, item: &NewItem) -> (Item, Append) {
        // Results are told in the server's words; in the text of a page, what merely looks like a
        // secret is content.
        let text = match family {
            ItemKind::Pages => self.masker.mask_configured(&item.text),
            ItemKind::Queries => self.masker.mask(&item.text),
        };
        let mut letters = text.chars();
        let kept: String = letters.by_ref().take(self.limits.item_characters).collect();
        let characters = kept.chars().count() as u64;
        let known = Item {
            name: self.masked_name(family, &item.name),
            title: item
                .title
                .as_ref()
                .map(|title| self.masker.mask_configured(title).into_owned()),
            characters,
            truncated: letters.next().is_some(),
        };
        (
            known,
            Append {
                log: TEXTS,
                row: kept,
                keep: u64::MAX >> 12,
            },
        )
    }
}

struct WrongItemKind;

impl StoredResponse {
    fn place(
        &self,
        selector: Option<&Selector>,
    ) -> std::result::Result<Option<usize>, WrongItemKind> {
        let (family, found) = match selector {
            None => (None, Some(0)),
            Some(Selector::Index(index)) => (None, usize::try_from(*index).ok()),
            Some(Selector::QueryIndex(index)) => {
                (Some(ItemKind::Queries), usize::try_from(*index).ok())
            }
            Some(Selector::UrlIndex(index)) => {
                (Some(ItemKind::Pages), usize::try_from(*index).ok())
            }
            Some(Selector::Query(query)) => (
                Some(ItemKind::Queries),
                self.named(|name| name == query.trim()),
            ),
            Some(Selector::Url(url)) => (
                Some(ItemKind::Pages),
                self.named(|name| is_same_url(name, url)),
            ),
        };
        if family.is_some_and(|family| family != self.family) {
            Err(WrongItemKind)
        } else {
            Ok(found)
        }
    }

    fn named(&self, is_it: impl Fn(&str) -> bool) -> Option<usize> {
        self.items.iter().position(|item| is_it(&item.name))
    }

    /// The first selectors that match an item.
    pub fn selectors(&self) -> Vec<Selector> {
        let by_name = |item: &Item| match self.family {
            ItemKind::Queries => Selector::Query(item.name.clone()),
            ItemKind::Pages => Selector::Url(item.name.clone()),
        };
        self.items.iter().take(SHOWN).map(by_name).collect()
    }
}

/// Compares parsed URLs, so that a missing slash at the end does not matter.
fn is_same_url(kept: &str, asked: &str) -> bool {
    let read = |text: &str| url::Url::parse(text.trim()).map(String::from);
    kept == asked.trim()
        || matches!((read(kept), read(asked)), (Ok(kept), Ok(asked)) if kept == asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::SqliteStore;

    fn responses(limits: Limits) -> StoredResponses {
        StoredResponses::new(
            Arc::new(SqliteStore::new(None)),
            limits,
            Masker::new(["hunter2-hunter2"]),
        )
    }

    fn pages(texts: &[(&str, &str)]) -> NewResponse {
        let items = texts.iter().map(|(url, text)| NewItem {
            name: (*url).to_owned(),
            title: None,
            text: (*text).to_owned(),
        });
        NewResponse {
            tool: "fetch_content".to_owned(),
            family: ItemKind::Pages,
            items: items.collect(),
        }
    }

    #[tokio::test]
    async fn the_cursor_leads_through_the_whole_text() {
        let (responses, tenant) = (responses(Limits::default()), Tenant::local());
        let text: String = "語é🐐z\n".repeat(997);
        let id = responses
            .keep(
                &tenant,
                &pages(&[("https://a.example/", "x"), ("https://b.example", &text)]),
            )
            .await
            .expect("kept");
        let (mut read, mut offset) = (String::new(), Some(0));
        while let Some(from) = offset {
            let picked = responses
                .pick(
                    &tenant,
                    &id,
                    Some(&Selector::Url("https://b.example/".to_owned())),
                    from,
                    400,
                )
                .await;
            let Ok(Selected::Found(part)) = picked else {
                panic!("{picked:?}")
            };
            read += &part.text;
            offset = part.cursor;
        }
        assert_eq!(read, text);
    }

    #[tokio::test]
    async fn a_miss_shows_what_would_be_found() {
        let (responses, tenant) = (responses(Limits::default()), Tenant::local());
        let many: Vec<(String, &str)> = (0..9)
            .map(|number| (format!("https://a.example/{number}"), "x"))
            .collect();
        let many: Vec<(&str, &str)> = many
            .iter()
            .map(|(url, text)| (url.as_str(), *text))
            .collect();
        let id = responses.keep(&tenant, &pages(&many)).await.expect("kept");
        for miss in [
            Selector::Index(9),
            Selector::UrlIndex(u64::MAX),
            Selector::Url("https://b.example/".to_owned()),
        ] {
            let Ok(Selected::Miss(valid)) = responses.pick(&tenant, &id, Some(&miss), 0, 10).await
            else {
                panic!("{miss:?}")
            };
            assert_eq!(valid.len(), 5);
            assert!(matches!(
                responses.pick(&tenant, &id, valid.last(), 0, 10).await,
                Ok(Selected::Found(_))
            ));
        }
        for wrong in [Selector::QueryIndex(0), Selector::Query("goats".to_owned())] {
            assert!(
                matches!(
                    responses.pick(&tenant, &id, Some(&wrong), 0, 10).await,
                    Ok(Selected::WrongItemKind(_))
                ),
                "{wrong:?}"
            );
        }
        let fault = responses
            .find(&Tenant::subject("other"), &id)
            .await
            .expect_err("somebody else's");
        assert_eq!(fault.case(), Case::UnknownId);
    }

    #[tokio::test]
    async fn limits_hold() {
        let (responses, tenant) = (
            responses(Limits {
                responses: 3,
                item_characters: 4,
                ..Limits::default()
            }),
            Tenant::local(),
        );
        let mut ids = Vec::new();
        for _ in 0..5 {
            ids.push(
                responses
                    .keep(&tenant, &pages(&[("https://a.example/", "語語語語語")]))
                    .await
                    .expect("kept"),
            );
        }
        assert!(
            responses.find(&tenant, &ids[1]).await.is_err(),
            "the oldest made room"
        );
        let kept = responses.find(&tenant, &ids[2]).await.expect("kept");
        assert_eq!(
            (kept.items[0].characters, kept.items[0].truncated),
            (4, true)
        );
    }

    #[tokio::test]
    async fn secrets_are_not_stored_and_an_address_with_one_still_selects_its_page() {
        let (responses, tenant) = (responses(Limits::default()), Tenant::local());
        let address = "https://a.example/?token=ghp_0123456789abcdefghijklmnopqrstuvwxyz";
        let page = pages(&[
            ("https://b.example/", "x"),
            (address, "the key is hunter2-hunter2!"),
        ]);
        let id = responses.keep(&tenant, &page).await.expect("kept");
        let selector = Selector::Url(address.to_owned());
        let found = responses.pick(&tenant, &id, Some(&selector), 0, 100).await;
        let Ok(Selected::Found(found)) = found else {
            panic!("{found:?}")
        };
        assert_eq!(found.text, "the key is ***!");
        assert_eq!((found.cursor, found.index), (None, 1));
        assert!(!found.item.name.contains("ghp_"), "{:?}", found.item);
    }
}
