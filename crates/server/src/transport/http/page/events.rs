//! Server-sent events: the overview, whenever something has changed.
//!
//! A stream carries counts only, so that it needs no store; the page reads again what a change
//! concerns. Their number is limited, they end when the server stops, and each ends after a while: the
//! browser opens the next one by itself, and its user is checked again.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    extract::State,
    response::{IntoResponse, Response, Sse, sse::Event},
};
use fault::{Case, Fault, Origin, Retry, Say};
use futures_util::stream;
use http::{StatusCode, header};
use tokio::{sync::watch, time::Instant};

use super::{super::responses, Viewer, WebPage};
use crate::metrics::Changes;

const MAX_STREAMS: usize = 64;
/// For one user or address: an open tab has one, and closes it while it is hidden.
const MAX_OF_VIEWER: usize = 16;
/// The pause between two events, and how long an overview is reused.
const PAUSE: Duration = Duration::from_secs(1);
/// How often an event is sent although no call has ended: waits and breakers run out by themselves.
const IDLE_PAUSE: Duration = Duration::from_secs(5);
/// A token that is taken away ends what an open page is told, at the latest after this.
const LIFETIME: Duration = Duration::from_secs(60);
/// When a page that was refused may try again.
const UNTIL_ROOM: Duration = Duration::from_secs(30);
/// How long the browser waits before it opens the next stream.
const REOPEN: Duration = Duration::from_millis(200);

/// The open streams.
#[derive(Debug, Clone, Default)]
pub(super) struct Streams {
    counts: Arc<Mutex<HashMap<u64, usize>>>,
    /// The last overview for operators and for others, so that many streams cost as much as one.
    last: Arc<[LastOverview; 2]>,
}

type LastOverview = tokio::sync::Mutex<Option<(Instant, Arc<str>)>>;

impl Streams {
    fn open(&self, viewer: u64) -> Option<OpenStream> {
        let mut counts = self.counts();
        let own = counts.get(&viewer).copied().unwrap_or_default();
        if own >= MAX_OF_VIEWER || counts.values().sum::<usize>() >= MAX_STREAMS {
            return None;
        }
        *counts.entry(viewer).or_default() += 1;
        drop(counts);
        Some(OpenStream {
            streams: self.clone(),
            viewer,
        })
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<u64, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One open stream; dropped when it ends.
struct OpenStream {
    streams: Streams,
    viewer: u64,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut counts = self.streams.counts();
        if let Some(count) = counts.get_mut(&self.viewer) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.viewer);
            }
        }
    }
}

pub(super) async fn stream(State(page): State<Arc<WebPage>>, viewer: Viewer) -> Response {
    let Some(open) = page.streams.open(viewer.hash("stream")) else {
        let full = Fault::new(Case::LocalLimit, Origin::Local)
            .saying(Say::new("Too many pages are open."))
            .advising(Say::new("This one updates when it is loaded again."))
            .retry(Retry::After(UNTIL_ROOM));
        return responses::fault(StatusCode::SERVICE_UNAVAILABLE, &full);
    };
    let updates = Updates {
        changes: page.dispatcher.changes(),
        for_operator: viewer.is_operator,
        ends: Instant::now() + LIFETIME,
        is_first: true,
        page,
        _open: open,
    };
    let events = stream::unfold(updates, |mut updates| async {
        let event = updates.next().await?;
        Some((Ok::<_, Infallible>(event), updates))
    });
    let headers = [
        (header::CACHE_CONTROL, "no-store"),
        // Some proxies would hold events back.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Sse::new(events)).into_response()
}

struct Updates {
    page: Arc<WebPage>,
    changes: watch::Receiver<Changes>,
    for_operator: bool,
    ends: Instant,
    is_first: bool,
    _open: OpenStream,
}

impl Updates {
    /// `None` when the stream is over.
    async fn next(&mut self) -> Option<Event> {
        if !std::mem::take(&mut self.is_first) {
            let stopping = self.page.stopping.clone();
            tokio::select! {
                biased;
                () = stopping.cancelled() => return None,
                () = tokio::time::sleep_until(self.ends) => return None,
                () = self.changed() => {}
            }
        }
        self.changes.mark_unchanged();
        let overview = self.overview().await;
        let event = Event::default().event("overview").retry(REOPEN);
        Some(event.data(&*overview))
    }

    async fn changed(&mut self) {
        tokio::time::sleep(PAUSE).await;
        let _ = tokio::time::timeout(IDLE_PAUSE - PAUSE, self.changes.changed()).await;
    }

    async fn overview(&self) -> Arc<str> {
        let mut last = self.page.streams.last[usize::from(self.for_operator)]
            .lock()
            .await;
        match last.as_ref() {
            Some((at, text)) if at.elapsed() < PAUSE / 2 => Arc::clone(text),
            _ => {
                let overview = self.page.dispatcher.overview(self.for_operator).await;
                let text: Arc<str> = overview.to_string().into();
                *last = Some((Instant::now(), Arc::clone(&text)));
                text
            }
        }
    }
}
