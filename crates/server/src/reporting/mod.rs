//! Sends the records of reportable faults to Sentry.
//!
//! A record is stored first. A mark beside it says that Sentry has not accepted it yet; the marks
//! are the queue, so what waits takes no memory, survives this process and is limited like the
//! records themselves. One task sends one event at a time. It starts with the first fault, or a
//! while after the start to send what an earlier process could not. Calls never wait for it.
//!
//! Several processes may share a store: a process claims a mark before it sends the event, and
//! Sentry drops an event whose id it has.

mod answer;
mod event;

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use engine::store::{CLAIM_HOLDS, FaultRecords, ListCursor};
use fault::EventId;
use http::{HeaderName, HeaderValue, header};
use mask::Masker;
use serde_json::Value;
use tokio::{sync::Notify, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use self::answer::Answer;
use crate::{sentry_dsn::SentryDsn, settings::Settings};

/// The `tracing` target of log lines about reporting.
const LOG: &str = "fingerpost::report";
/// How long one request to Sentry may take.
const REQUEST_TIME: Duration = Duration::from_secs(10);
/// The wait after a failure. It doubles with each failure in a row.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// The wait after a reply that says that the DSN is wrong.
const WRONG_DSN_WAIT: Duration = Duration::from_secs(600);
/// How long after its start a server looks for what an earlier one could not send. Clients probe a
/// server by starting it for a moment, and a probe should do nothing.
const RESUME_AFTER: Duration = Duration::from_secs(2);
/// How long the end of the program waits for events that are not sent yet.
const LAST_EVENTS_TIME: Duration = Duration::from_secs(2);
/// How soon the store is asked again after it failed.
const STORE_RETRY: Duration = Duration::from_secs(30);
/// Events that are read from the store at once.
const PAGE: usize = 50;
/// Events that could not be stored and wait in memory; the oldest make room.
const MAX_UNSTORED: usize = 64;
const MAX_REPLY: u64 = 64 << 10;
const AUTH: HeaderName = HeaderName::from_static("x-sentry-auth");
const ENVELOPE: HeaderValue = HeaderValue::from_static("application/x-sentry-envelope");

/// Reports faults. `None` instead of it means that no DSN is set.
#[derive(Debug)]
pub struct Reporter {
    sender: Arc<Sender>,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// How many events were sent, and whether the last attempt failed.
#[derive(Debug, Default)]
pub struct ReportCounts {
    sent: AtomicU64,
    refused: AtomicU64,
    failures: AtomicU64,
    failures_in_row: AtomicU64,
    lost: AtomicU64,
}

impl ReportCounts {
    /// Events that Sentry accepted.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Events that Sentry will never accept.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Attempts that failed or were limited; their events are sent again.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Events that could neither be stored nor sent.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether the last attempt failed.
    pub fn is_failing(&self) -> bool {
        self.failures_in_row.load(Ordering::Relaxed) > 0
    }
}

impl Reporter {
    /// `None` when the operator has set no DSN. Nothing is opened or started.
    pub(crate) fn new(settings: &Settings, faults: FaultRecords) -> Option<Reporter> {
        let dsn = settings.sentry_dsn.clone()?;
        let sender = Sender {
            dsn,
            environment: settings.sentry_environment.clone(),
            client: net::Client::trusted(settings.network()),
            faults,
            masker: settings.masker(),
            holder: EventId::fresh().to_string(),
            unstored: Mutex::default(),
            wake: Notify::new(),
            stopping: CancellationToken::new(),
            counts: ReportCounts::default(),
        };
        Some(Reporter {
            sender: Arc::new(sender),
            task: Mutex::default(),
        })
    }

    pub fn counts(&self) -> &ReportCounts {
        &self.sender.counts
    }

    /// Reports an event whose record is stored.
    pub(crate) async fn report(&self, id: &EventId, record: &Value) {
        if self.sender.faults.mark_unsent(id).await.is_err() {
            return self.report_unstored(id, record);
        }
        self.wake(Duration::ZERO);
    }

    /// Reports an event that could not be stored, for example because the store failed.
    pub(crate) fn report_unstored(&self, id: &EventId, record: &Value) {
        let mut unstored = self.sender.lock_unstored();
        if unstored.len() == MAX_UNSTORED {
            unstored.pop_front();
            self.sender.count_lost(1);
        }
        unstored.push_back((id.to_string(), record.clone()));
        drop(unstored);
        self.wake(Duration::ZERO);
    }

    /// Sends what an earlier process could not send, in a while.
    pub(crate) fn resume(&self) {
        self.wake(RESUME_AFTER);
    }

    /// Wakes the task, which is started when it does not run yet.
    fn wake(&self, first_pause: Duration) {
        let mut task = self.lock_task();
        if task.is_none() {
            let sender = Arc::clone(&self.sender);
            *task = Some(tokio::spawn(sender.run(first_pause)));
        }
        if first_pause.is_zero() {
            self.sender.wake.notify_one();
        }
    }

    fn lock_task(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what waits, for a short time and only while Sentry answers. What is left is sent by
    /// the next process.
    pub(crate) async fn finish(&self) {
        let running = self.lock_task().take();
        self.sender.stopping.cancel();
        if let Some(running) = running {
            let _ = tokio::time::timeout(LAST_EVENTS_TIME, running).await;
        }
    }
}

#[derive(Debug)]
struct Sender {
    dsn: SentryDsn,
    environment: Option<String>,
    client: net::Client,
    faults: FaultRecords,
    masker: Masker,
    /// Names this process in the marks that it claims.
    holder: String,
    unstored: Mutex<VecDeque<(String, Value)>>,
    wake: Notify,
    stopping: CancellationToken,
    counts: ReportCounts,
}

/// When the task continues.
#[derive(Debug)]
enum Next {
    /// With the next fault.
    WhenWoken,
    /// With the next fault, and at the latest after this time.
    Look(Duration),
    /// After this time and not before.
    After(Duration),
}

/// The store cannot say what waits. That is no failure of Sentry: what comes next is sent at once.
const STORE_FAILED: Next = Next::Look(STORE_RETRY);

impl Sender {
    async fn run(self: Arc<Self>, first_pause: Duration) {
        tokio::select! {
            biased;
            () = self.wake.notified() => {}
            () = self.stopping.cancelled() => return,
            () = tokio::time::sleep(first_pause) => {}
        }
        loop {
            // Read before sending, so that what arrived before the end is sent.
            let is_last = self.stopping.is_cancelled();
            let next = self.send_waiting().await;
            let time = match next {
                Next::After(time) => {
                    tokio::select! {
                        () = tokio::time::sleep(time) => continue,
                        // Sentry is down or asked for a pause: the next process continues with
                        // what is stored.
                        () = self.stopping.cancelled() => {
                            let unstored = self.lock_unstored().len();
                            return self.count_lost(unstored);
                        }
                    }
                }
                _ if is_last => return,
                Next::Look(time) => time,
                Next::WhenWoken => Duration::MAX,
            };
            tokio::select! {
                () = self.wake.notified() => {}
                () = tokio::time::sleep(time) => {}
                () = self.stopping.cancelled() => {}
            }
        }
    }

    /// Sends everything that waits, and says when to continue.
    async fn send_waiting(&self) -> Next {
        while let Some((id, record)) = self.next_unstored() {
            let (is_done, wait) = self.send(&id, &record).await;
            if !is_done {
                self.lock_unstored().push_front((id, record));
            }
            if let Some(wait) = wait {
                return Next::After(wait);
            }
        }
        let mut after: Option<ListCursor> = None;
        let mut next = Next::WhenWoken;
        loop {
            let Ok(page) = self.faults.unsent(after.as_ref(), PAGE).await else {
                return STORE_FAILED;
            };
            let Some(last) = page.last() else {
                return next;
            };
            after = Some(last.cursor.clone());
            for unsent in page {
                match self.faults.claim(&unsent, &self.holder).await {
                    Ok(true) => {}
                    Ok(false) => {
                        // The process that has it may end before it was sent.
                        next = Next::Look(CLAIM_HOLDS);
                        continue;
                    }
                    Err(_) => return STORE_FAILED,
                }
                match self.send_stored(&unsent.id).await {
                    Ok(None) => {}
                    Ok(Some(wait)) => return Next::After(wait),
                    Err(_) => return STORE_FAILED,
                }
            }
        }
    }

    /// Sends one stored event, and returns how long to wait before the next.
    ///
    /// # Errors
    /// The store's failure.
    async fn send_stored(&self, id: &str) -> fault::Result<Option<Duration>> {
        let (is_done, wait) = match self.faults.find(id).await? {
            Some(record) => self.send(id, &record).await,
            // The record was replaced by newer ones.
            None => (true, None),
        };
        let marked = match is_done {
            true => self.faults.remove_mark(id).await,
            false => self.faults.release(id).await,
        };
        match wait {
            Some(_) => Ok(wait),
            None => marked.map(|()| None),
        }
    }

    /// Sends one event: whether it need not be sent again, and how long to wait before the next.
    async fn send(&self, id: &str, record: &Value) -> (bool, Option<Duration>) {
        match self.post(id, record).await {
            Answer::Accepted { pause } => {
                self.counts.sent.fetch_add(1, Ordering::Relaxed);
                if self.counts.failures_in_row.swap(0, Ordering::Relaxed) > 0 {
                    tracing::info!(target: LOG, "Sentry accepts reports again");
                }
                (true, pause)
            }
            Answer::Refused => {
                self.counts.refused.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(target: LOG, event_id = id, "Sentry refused a report; its record is kept here only");
                (true, None)
            }
            Answer::Limited(wait) => {
                self.failed();
                (false, Some(wait))
            }
            Answer::WrongDsn => {
                self.failed();
                (false, Some(WRONG_DSN_WAIT))
            }
            Answer::Failed => (false, Some(self.failed())),
        }
    }

    async fn post(&self, id: &str, record: &Value) -> Answer {
        let event = event::event(id, record, self.environment.as_deref(), &self.masker);
        let envelope = event::envelope(id, &event, &self.dsn);
        let request = net::Request::post(self.dsn.envelope_url(), envelope)
            .header(header::CONTENT_TYPE, ENVELOPE)
            .header(AUTH, self.dsn.auth_header())
            .within(REQUEST_TIME)
            .at_most(MAX_REPLY, MAX_REPLY)
            // Sentry knows an event by its id, so sending it twice changes nothing.
            .replayable();
        let reply = self.client.send(request).await;
        let first = !self.counts.is_failing();
        match reply {
            Ok(reply) => {
                let answer = Answer::from_reply(reply.status, &reply.headers);
                if first
                    && matches!(
                        answer,
                        Answer::Failed | Answer::WrongDsn | Answer::Limited(_)
                    )
                {
                    tracing::warn!(target: LOG, status = reply.status, "Sentry does not accept reports now; they wait in the store");
                }
                if first && answer == Answer::WrongDsn {
                    tracing::warn!(target: LOG, "check the key and the project in SENTRY_DSN");
                }
                answer
            }
            Err(fault) => {
                if first {
                    let reason = fault.reason().unwrap_or_default();
                    tracing::warn!(target: LOG, reason, "Sentry cannot be reached; reports wait in the store");
                }
                Answer::Failed
            }
        }
    }

    /// Counts a failure and returns the wait after it.
    fn failed(&self) -> Duration {
        self.counts.failures.fetch_add(1, Ordering::Relaxed);
        let before = self.counts.failures_in_row.fetch_add(1, Ordering::Relaxed);
        let factor = 1u32 << before.min(10);
        (FIRST_WAIT * factor).min(LONGEST_WAIT)
    }

    /// The first lost event is told, the others are counted.
    fn count_lost(&self, events: usize) {
        if events > 0 && self.counts.lost.fetch_add(events as u64, Ordering::Relaxed) == 0 {
            tracing::warn!(target: LOG, "records could neither be stored nor sent to Sentry and are lost; further ones are only counted");
        }
    }

    fn next_unstored(&self) -> Option<(String, Value)> {
        self.lock_unstored().pop_front()
    }

    fn lock_unstored(&self) -> MutexGuard<'_, VecDeque<(String, Value)>> {
        self.unstored.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
