//! Whose turn it is to be read.
//!
//! Workers are few, and a hostile document takes all the time that a document may take, however small
//! it is. So that two of them do not keep everybody else waiting, one more worker reads beside them
//! while they are busy, for a short time each. What it does not finish waits for one of the others.

use std::time::Duration;

use reading::document::{Document, DocumentError, Hint, Warning};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::{Answered, DocumentWorkers};
use crate::parser_threads::NotDone;

/// The time of a document that is read while all workers are busy. Most take a tenth of a second.
const QUICK: Duration = Duration::from_secs(2);

impl DocumentWorkers {
    /// Waits for a worker to be free, then runs one.
    pub(super) async fn read_in_turn(
        &self,
        bytes: &[u8],
        hint: &Hint,
        deadline: Instant,
    ) -> Result<Result<Answered, DocumentError>, NotDone> {
        let asked = Instant::now();
        let turn = async {
            tokio::select! {
                biased;
                permit = self.permits.acquire() => (permit, deadline),
                permit = self.quick.acquire() => (permit, deadline.min(Instant::now() + QUICK)),
            }
        };
        let turn = timeout_at(deadline, turn).await;
        // They are never closed.
        let Ok((Ok(permit), until)) = turn else {
            return Err(NotDone::Waited);
        };
        let run = self.run_worker(bytes, hint, until);
        let answered = finish(asked, deadline, run).await?;
        drop(permit);
        if until == deadline || !is_unfinished(&answered) {
            return Ok(answered);
        }
        // A worker that still has pictures ends here, because it has no permit any more.
        let begun = begun_document(answered);
        let run = self.run_worker(bytes, hint, deadline);
        let answered = self.within(&self.permits, deadline, run).await;
        // The beginning of a document is worth more than word that the others were busy.
        match (answered, begun) {
            (Err(_) | Ok(Err(DocumentError::TooSlow)), Some(begun)) => {
                Ok(Ok(Answered::Whole(begun)))
            }
            (answered, _) => answered,
        }
    }

    /// Does the work when it has a permit.
    pub(super) async fn within<T>(
        &self,
        permits: &Semaphore,
        deadline: Instant,
        work: impl Future<Output = T>,
    ) -> Result<T, NotDone> {
        let asked = Instant::now();
        let permit = timeout_at(deadline, permits.acquire()).await;
        let Ok(Ok(_permit)) = permit else {
            return Err(NotDone::Waited);
        };
        finish(asked, deadline, work).await
    }
}

/// Does the work, which was asked for at this time and begins now.
async fn finish<T>(
    asked: Instant,
    deadline: Instant,
    work: impl Future<Output = T>,
) -> Result<T, NotDone> {
    let begun = Instant::now();
    let done = timeout_at(deadline, work).await;
    done.map_err(|_| NotDone::late(asked, begun))
}

/// Whether more time may give more.
fn is_unfinished(answered: &Result<Answered, DocumentError>) -> bool {
    let document = match answered {
        Ok(Answered::Whole(document)) => document,
        Ok(Answered::WithPictures(pictures)) => &pictures.document,
        Err(error) => return *error == DocumentError::TooSlow,
    };
    document.warnings.contains(&Warning::OutOfTime)
}

/// The document as far as it was read.
fn begun_document(answered: Result<Answered, DocumentError>) -> Option<Box<Document>> {
    match answered.ok()? {
        Answered::Whole(document) => Some(document),
        Answered::WithPictures(pictures) => Some(Box::new(pictures.document)),
    }
}
