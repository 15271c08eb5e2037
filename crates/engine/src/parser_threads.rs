//! Threads for parsers: they are CPU work on hostile input, and deep pages need a large stack.
//!
//! A thread that has done its work waits a moment for more. Starting one for each page would cost
//! about as much as parsing a small page: a stack to map, memory to touch for the first time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use reading::extract::STACK_BYTES;
use tokio::sync::{Semaphore, SemaphorePermit, oneshot};
use tokio::time::Instant;

struct Job {
    work: Box<dyn FnOnce() + Send>,
    /// Released when the thread is idle again, so there are never more threads than permits.
    permit: SemaphorePermit<'static>,
}

/// Parsers at a time: more of them would share the same cores and take more memory.
const PARSERS: usize = 4;
static PERMITS: Semaphore = Semaphore::const_new(PARSERS);

/// How long a thread waits for more work before it ends and returns its memory.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// The threads that wait for work, by number.
static IDLE: Mutex<Vec<(u64, Sender<Job>)>> = Mutex::new(Vec::new());

/// Why work has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotDone {
    /// Every reader was busy with other work, for all of its time or for most of it.
    Waited,
    /// It was not finished by the deadline.
    TookTooLong,
    Panicked,
}

impl NotDone {
    /// Why work that was asked for and begun at these times is not done now.
    pub(crate) fn late(asked: Instant, begun: Instant) -> NotDone {
        if begun - asked > begun.elapsed() {
            NotDone::Waited
        } else {
            NotDone::TookTooLong
        }
    }
}

/// Runs `work` on a parser thread. The permit is released by the thread, not by the caller, so work
/// of callers that gave up cannot pile up.
pub(crate) async fn run<T: Send + 'static>(
    deadline: Instant,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NotDone> {
    let asked = Instant::now();
    let permit = tokio::time::timeout_at(deadline, PERMITS.acquire())
        .await
        .map_err(|_| NotDone::Waited)?
        .map_err(|_| NotDone::Panicked)?;
    let begun = Instant::now();
    let (sender, receiver) = oneshot::channel();
    let work = Box::new(move || {
        let _ = sender.send(work());
    });
    start(Job { work, permit }).ok_or(NotDone::Panicked)?;
    match tokio::time::timeout_at(deadline, receiver).await {
        Ok(done) => done.map_err(|_| NotDone::Panicked),
        Err(_) => Err(NotDone::late(asked, begun)),
    }
}

/// Whether other work is being done beside one that was not finished in time: its thread still has
/// its permit.
pub(crate) fn others_are_busy() -> bool {
    PERMITS.available_permits() + 1 < PARSERS
}

fn start(job: Job) -> Option<()> {
    let idle = with_idle(Vec::pop);
    if let Some((_, thread)) = idle {
        // It is there: a thread takes itself off the list before it ends.
        return thread.send(job).ok();
    }
    thread::Builder::new()
        .name("parser".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || serve(job))
        .ok()
        .map(drop)
}

fn serve(first: Job) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let (sender, jobs) = mpsc::channel();
    let mut job = Some(first);
    while let Some(Job { work, permit }) = job {
        // A panic drops the sender of the answer, which tells the caller.
        let _ = catch_unwind(AssertUnwindSafe(work));
        with_idle(|idle| idle.push((number, sender.clone())));
        drop(permit);
        job = next(number, &jobs);
    }
}

fn next(number: u64, jobs: &Receiver<Job>) -> Option<Job> {
    if let Ok(job) = jobs.recv_timeout(IDLE_TIME) {
        return Some(job);
    }
    let was_listed = with_idle(|idle| {
        let place = idle.iter().position(|(other, _)| *other == number);
        place.map(|place| idle.swap_remove(place)).is_some()
    });
    // Whoever took it off the list has work for it.
    if was_listed { None } else { jobs.recv().ok() }
}

fn with_idle<T>(change: impl FnOnce(&mut Vec<(u64, Sender<Job>)>) -> T) -> T {
    change(&mut IDLE.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    /// Work that says when it begins and does not end before the channel is closed.
    fn held(
        ended: &Arc<Mutex<Receiver<()>>>,
        begun: &UnboundedSender<()>,
    ) -> impl FnOnce() + Send + 'static {
        let (ended, begun) = (Arc::clone(ended), begun.clone());
        move || {
            let _ = begun.send(());
            let _ = ended.lock().map(|ended| ended.recv());
        }
    }

    #[tokio::test]
    async fn work_that_waited_is_told_from_work_that_took_too_long() {
        let (end, ended) = mpsc::channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        let (begin, mut begun) = unbounded_channel();
        let in_a_second = Instant::now() + Duration::from_secs(1);
        let late = run(in_a_second, held(&ended, &begin)).await;
        assert_eq!(late, Err(NotDone::TookTooLong));
        // Other tests of this process need the same threads: all are taken once all have begun.
        let busy: Vec<_> = (1..PARSERS)
            .map(|_| tokio::spawn(run(soon(), held(&ended, &begin))))
            .collect();
        for _ in 0..PARSERS {
            begun.recv().await.expect("work begins");
        }
        let now = Instant::now() + Duration::from_millis(50);
        assert_eq!(run(now, || 1).await, Err(NotDone::Waited));
        drop(end);
        for done in busy {
            assert_eq!(done.await.expect("joined"), Ok(()));
        }
        assert_eq!(run(soon(), || 1).await, Ok(1));
    }

    #[tokio::test]
    async fn work_is_done_again_and_again_and_a_panic_ends_only_its_own() {
        for number in 0..50 {
            assert_eq!(run(soon(), move || number * 2).await, Ok(number * 2));
        }
        let panics = || -> u8 { panic!("on purpose") };
        assert_eq!(run(soon(), panics).await, Err(NotDone::Panicked));
        let many = (0..40).map(|number| tokio::spawn(run(soon(), move || number)));
        for (number, done) in many.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(done.await.expect("joined"), Ok(number));
        }
    }

    #[tokio::test]
    async fn a_thread_that_ended_is_replaced() {
        assert_eq!(run(soon(), || 1).await, Ok(1));
        tokio::time::sleep(IDLE_TIME + Duration::from_millis(200)).await;
        assert_eq!(run(soon(), || 2).await, Ok(2));
    }
}
