//! The embedded index of everything that was read, which can be searched without a network.
//!
//! Pages that a caller waits for are written a moment later, many in one transaction: a reply need
//! not wait for the word index, and a transaction for each page would cost as much processor time
//! as reading it. What is still waiting is written before a search, and when the index is dropped.
//!
//! SQLite's FTS5 ranks by BM25; a word in the title counts five times. Scripts without spaces
//! between words are indexed letter by letter and searched as phrases (`words`), because FTS5's
//! tokenizer would take a whole sentence for one word.

mod words;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fault::{Case, Fault, Origin, Result};
use mask::Masker;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::database::Database;

/// The most characters of one page that are kept.
const MAX_TEXT_CHARS: usize = 200_000;
/// The most pages of an index in a file. The ones that were read longest ago are deleted first.
const MAX_PAGES: i64 = 20_000;
/// The most pages of an index in memory.
const MAX_PAGES_IN_MEMORY: i64 = 500;
/// How many pages may be added between two looks at the number of pages.
const ADDED_BETWEEN_COUNTS: i64 = 16;
/// How long a page may wait to be written.
const WRITE_DELAY: Duration = Duration::from_millis(100);
/// The most characters of a snippet.
const SNIPPET_CHARS: usize = 300;

/// The part of a page's text that an index keeps.
pub(crate) fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_TEXT_CHARS);
    end.map_or(text, |(end, _)| &text[..end])
}

/// A page or document that was read.
#[derive(Debug, Clone)]
pub struct IndexedPage {
    /// The address. A page replaces an older one of the same address.
    pub url: String,
    /// The title; may be empty.
    pub title: String,
    /// The text as Markdown.
    pub text: String,
    /// The date of publication, as the page writes it.
    pub published: Option<String>,
}

/// A page that matches a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexMatch {
    pub url: String,
    /// The title; may be empty.
    pub title: String,
    /// The part of the text around the first match.
    pub snippet: String,
    /// The date of publication, as the page writes it.
    pub published: Option<String>,
}

/// The index. Clones share one database.
#[derive(Debug, Clone)]
pub struct Index {
    shared: Arc<SharedIndex>,
}

#[derive(Debug)]
struct SharedIndex {
    database: Database,
    most: i64,
    masker: Masker,
    /// Pages that were added and not yet written.
    waiting: Mutex<Vec<IndexedPage>>,
    /// How many of these could not be written, and why the last could not.
    lost: Mutex<Option<(usize, Fault)>>,
}

impl SharedIndex {
    fn take_waiting(&self) -> Vec<IndexedPage> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *waiting)
    }

    /// Writes the waiting pages. Blocks. Nobody waits for them, so a failure is only logged: it
    /// must not fail the search or the page that comes next.
    fn write_waiting(&self) {
        let pages = self.take_waiting();
        if pages.is_empty() {
            return;
        }
        let count = pages.len();
        if let Err(fault) = self.write(pages) {
            tracing::warn!(kind = %fault.kind(), "pages could not be added to the index");
            let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
            let before = lost.as_ref().map_or(0, |(count, _)| *count);
            *lost = Some((before + count, fault));
        }
    }

    /// Masks and writes pages. Blocks.
    fn write(&self, pages: Vec<IndexedPage>) -> Result<()> {
        let masked: Vec<IndexedPage> = pages
            .into_iter()
            .map(|page| page.masked(&self.masker))
            .collect();
        self.database
            .with(|connection| add(connection, &masked, self.most))
    }
}

impl IndexedPage {
    /// As a reply shows it: what merely looks like a secret is content in a text, and a token in
    /// an address.
    ///
    /// A page that writes its own address does not keep a token of it that way either.
    fn masked(self, masker: &Masker) -> IndexedPage {
        let url = masker.mask(&self.url).into_owned();
        let tokens = masked_parts(&self.url, &url);
        let masked = |text: &str| {
            let text = masker.mask_configured(text).into_owned();
            let without = |text: String, token: &&str| text.replace(*token, "***");
            tokens.iter().fold(text, without)
        };
        IndexedPage {
            title: masked(&self.title),
            text: masked(&self.text),
            url,
            published: self
                .published
                .map(|date| masker.mask_configured(&date).into_owned()),
        }
    }
}

/// The values of an address that its masked form no longer has.
fn masked_parts<'u>(address: &'u str, masked: &str) -> Vec<&'u str> {
    /// A shorter one would be found in words.
    const SHORTEST: usize = 8;
    let parts = address.split(['?', '&', '=', '/', '#', ';']);
    parts
        .filter(|part| part.len() >= SHORTEST && !masked.contains(part))
        .collect()
}

impl Drop for SharedIndex {
    fn drop(&mut self) {
        self.write_waiting();
    }
}

impl Index {
    /// An index in a directory, or in memory. Nothing is opened before the first use. `masker`
    /// hides secrets in what is stored.
    pub fn new(directory: Option<&Path>, masker: Masker) -> Index {
        let most = if directory.is_some() {
            MAX_PAGES
        } else {
            MAX_PAGES_IN_MEMORY
        };
        Index {
            shared: Arc::new(SharedIndex {
                database: Database::new(directory),
                most,
                masker,
                waiting: Mutex::default(),
                lost: Mutex::default(),
            }),
        }
    }

    /// Adds a page, or replaces the one of the same address.
    pub async fn add(&self, page: IndexedPage) -> Result<()> {
        self.blocking(move |shared| shared.write(vec![page])).await
    }

    /// Adds a page soon, without waiting for it. Must be called within a runtime.
    pub fn add_soon(&self, page: IndexedPage) {
        let is_first = {
            let mut waiting = self
                .shared
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            waiting.push(page);
            waiting.len() == 1
        };
        if is_first {
            let index = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(WRITE_DELAY).await;
                // Running anything writes what waits.
                let _ = index.blocking(|_| Ok(())).await;
            });
        }
    }

    /// The pages with all words of a text whose address `wanted` accepts, best first. When no page
    /// has all words, those with any of them.
    pub async fn search(
        &self,
        text: &str,
        most: usize,
        wanted: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<Vec<IndexMatch>> {
        let query = words::query(text);
        self.blocking(move |shared| {
            shared.database.with(|connection| {
                for phrase in [query.all(), query.any()].into_iter().flatten() {
                    let found = search(connection, &phrase, &query, most, &wanted)?;
                    if !found.is_empty() {
                        return Ok(found);
                    }
                }
                Ok(Vec::new())
            })
        })
        .await
    }

    /// How many pages that were to be added soon could not be written, and why.
    pub fn lost_pages(&self) -> Option<(usize, Fault)> {
        let lost = &self.shared.lost;
        lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many pages it holds.
    pub async fn count(&self) -> Result<u64> {
        self.blocking(|shared| {
            shared.database.with(|connection| {
                connection.query_row("select count(*) from pages", [], |row| row.get::<_, i64>(0))
            })
        })
        .await
        .map(i64::unsigned_abs)
    }

    /// Runs `work` off the async threads, after the pages that wait were written.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&SharedIndex) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shared = Arc::clone(&self.shared);
        let done = tokio::task::spawn_blocking(move || {
            shared.write_waiting();
            work(&shared)
        })
        .await;
        done.unwrap_or_else(|_| Err(Fault::new(Case::Internal, Origin::Store)))
    }
}

fn add(connection: &mut Connection, pages: &[IndexedPage], most: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for page in pages {
        let id = add_page(&transaction, page)?;
        // Counting reads the whole table, so not every page is worth it.
        if id % ADDED_BETWEEN_COUNTS == 0 {
            make_room(&transaction, most)?;
        }
    }
    transaction.commit()
}

fn add_page(connection: &Connection, page: &IndexedPage) -> rusqlite::Result<i64> {
    let text: String = page.text.chars().take(MAX_TEXT_CHARS).collect();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64);
    let mut insert = connection.prepare_cached(
        "insert into pages (url, title, text, published, seen) values (?1, ?2, ?3, ?4, ?5)
         on conflict (url) do update set title = ?2, text = ?3, published = ?4, seen = ?5 returning id",
    )?;
    let values = params![page.url, page.title, text, page.published, now];
    let id: i64 = insert.query_row(values, |row| row.get(0))?;
    connection
        .prepare_cached("delete from page_words where rowid = ?1")?
        .execute([id])?;
    connection
        .prepare_cached("insert into page_words (rowid, title, text) values (?1, ?2, ?3)")?
        .execute(params![
            id,
            words::spaced(&page.title),
            words::spaced(&text)
        ])?;
    Ok(id)
}

fn make_room(connection: &Connection, most: i64) -> rusqlite::Result<()> {
    let pages: i64 = connection.query_row("select count(*) from pages", [], |row| row.get(0))?;
    for _ in most..pages {
        let oldest: Option<i64> = connection
            .query_row("select id from pages order by seen limit 1", [], |row| {
                row.get(0)
            })
            .optional()?;
        connection.execute("delete from page_words where rowid = ?1", [oldest])?;
        connection.execute("delete from pages where id = ?1", [oldest])?;
    }
    Ok(())
}

fn search(
    connection: &Connection,
    phrase: &str,
    query: &words::IndexQuery,
    most: usize,
    wanted: &dyn Fn(&str) -> bool,
) -> rusqlite::Result<Vec<IndexMatch>> {
    let mut statement = connection.prepare(
        "select pages.url, pages.title, pages.text, pages.published from page_words join pages on pages.id = page_words.rowid
         where page_words match ?1 order by bm25(page_words, 5.0, 1.0), pages.seen desc",
    )?;
    let mut rows = statement.query([phrase])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let url: String = row.get(0)?;
        if wanted(&url) {
            let text: String = row.get(2)?;
            found.push(IndexMatch {
                url,
                title: row.get(1)?,
                snippet: query.snippet(&text, SNIPPET_CHARS),
                published: row.get(3)?,
            });
        }
        if found.len() == most {
            break;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn with(entries: &[(&str, &str, &str)]) -> Index {
        let index = Index::new(None, Masker::default());
        for (url, title, text) in entries {
            let entry = IndexedPage {
                url: (*url).to_owned(),
                title: (*title).to_owned(),
                text: (*text).to_owned(),
                published: None,
            };
            index.add(entry).await.expect("added");
        }
        index
    }

    #[tokio::test]
    async fn a_page_that_waits_is_found_at_once_and_soon_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let page = |url: &str| IndexedPage {
            url: url.to_owned(),
            title: "Ibex".to_owned(),
            text: "ibex".to_owned(),
            published: None,
        };
        let index = Index::new(Some(folder.path()), Masker::default());
        index.add_soon(page("https://a.example/"));
        assert_eq!(urls(&index, "ibex").await, ["https://a.example/"]);
        index.add_soon(page("https://b.example/"));
        let other = Index::new(Some(folder.path()), Masker::default());
        for _ in 0..500 {
            if other.count().await.expect("counted") == 2 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the page was not written");
    }

    #[tokio::test]
    async fn a_waiting_page_that_cannot_be_written_does_not_fail_a_search() {
        let index = with(&[("https://a.example/", "A", "ibex")]).await;
        let refuse =
            "create trigger full before insert on pages begin select raise(fail, 'full'); end";
        let refused = index.shared.database.with(|it| it.execute_batch(refuse));
        refused.expect("the trigger is made");
        let page = IndexedPage {
            url: "https://b.example/".to_owned(),
            title: "B".to_owned(),
            text: "ibex".to_owned(),
            published: None,
        };
        index.add(page.clone()).await.expect_err("is refused");
        index.add_soon(page);
        assert_eq!(urls(&index, "ibex").await, ["https://a.example/"]);
    }

    async fn urls(index: &Index, text: &str) -> Vec<String> {
        index
            .search(text, 10, |_| true)
            .await
            .expect("searched")
            .into_iter()
            .map(|found| found.url)
            .collect()
    }

    #[tokio::test]
    async fn a_match_in_the_title_ranks_first_and_all_words_before_any() {
        let index = with(&[
            (
                "https://a.example/",
                "Goats",
                "Some words about mountains and goats that climb.",
            ),
            (
                "https://b.example/",
                "Mountains",
                "Where goats live. Where goats climb.",
            ),
            ("https://c.example/", "Cooking", "Soup."),
        ])
        .await;
        assert_eq!(
            urls(&index, "goats").await,
            ["https://a.example/", "https://b.example/"]
        );
        assert_eq!(
            urls(&index, "mountains soup").await.len(),
            3,
            "any of them where no page has all"
        );
        assert!(urls(&index, "nothing").await.is_empty());
    }

    #[tokio::test]
    async fn a_page_replaces_an_older_one_of_the_same_address() {
        let index = with(&[
            ("https://a.example/", "Old", "ibex"),
            ("https://a.example/", "New", "chamois"),
        ])
        .await;
        assert_eq!(index.count().await.expect("counted"), 1);
        assert!(urls(&index, "ibex").await.is_empty());
        assert_eq!(urls(&index, "chamois").await.len(), 1);
    }

    #[tokio::test]
    async fn scripts_without_spaces_and_words_without_their_accents_are_found() {
        let index = with(&[
            (
                "https://a.example/",
                "東京の天気",
                "明日の東京は晴れでしょう。",
            ),
            ("https://b.example/", "Café", "Das Gespräch im Café."),
        ])
        .await;
        assert_eq!(urls(&index, "東京").await, ["https://a.example/"]);
        assert!(urls(&index, "京東").await.is_empty());
        assert_eq!(urls(&index, "cafe gesprach").await, ["https://b.example/"]);
    }

    #[tokio::test]
    async fn no_text_of_a_query_is_syntax() {
        let index = with(&[(
            "https://a.example/",
            "A",
            "goats AND sheep NEAR the \"fence\"",
        )])
        .await;
        for query in [
            "\"",
            "AND",
            "NEAR(a b)",
            "title:goats",
            "goats*",
            "(",
            "a' or 1=1 --",
            "-",
            "^goats",
            "\u{0}",
            "",
            "🐐",
        ] {
            index.search(query, 10, |_| true).await.expect(query);
        }
        assert_eq!(urls(&index, "goats \"fence\"").await.len(), 1);
    }

    #[tokio::test]
    async fn pages_that_the_filter_refuses_are_left_out() {
        let index = with(&[
            ("https://a.example/x", "A", "goats"),
            ("https://b.example/x", "B", "goats"),
        ])
        .await;
        let found = index
            .search("goats", 10, |url| url.starts_with("https://b."))
            .await
            .expect("searched");
        assert_eq!(found.len(), 1);
    }

    #[tokio::test]
    async fn a_question_finds_first_what_its_subject_finds_first() {
        let index = with(&[
            (
                "https://a.example/",
                "Heat pumps",
                "How a heat pump works in old houses.",
            ),
            (
                "https://b.example/",
                "What is the question",
                "What is a question, and how do you ask one?",
            ),
            (
                "https://c.example/",
                "Pumps",
                "A pump for water, and what it costs.",
            ),
        ])
        .await;
        let asked = urls(&index, "How does a heat pump work in the houses?").await;
        let named = urls(&index, "heat pump work houses").await;
        assert_eq!(asked, named);
        assert_eq!(asked[0], "https://a.example/");
        assert!(
            !asked.contains(&"https://b.example/".to_owned()),
            "{asked:?}"
        );
    }
}
