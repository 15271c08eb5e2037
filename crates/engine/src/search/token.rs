//! Tokens that an interface lends for a while against the operator's key.
//!
//! A token is asked for once and used until shortly before it ends, by every question; questions
//! that come while it is being asked for wait for that one answer. A token that is refused before
//! its time is dropped, and a provider then asks for one more, once: a second refusal is the key's
//! fault.

use std::future::Future;
use std::time::Duration;

use fault::{Case, Fault, Origin, Result, Secret};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use crate::call::Call;

/// A token that was just lent.
#[derive(Debug)]
pub(crate) struct Lent {
    /// The token itself.
    pub token: Secret,
    /// How long it is good for.
    pub lasts: Duration,
}

/// Time that a request under way may take while its token is still good.
const MARGIN: Duration = Duration::from_secs(60);

/// The token that is good now.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    held: Mutex<Option<(Secret, Instant)>>,
}

impl Tokens {
    /// The token that is held, or else the one that `borrow` brings.
    pub(crate) async fn current<F>(&self, call: &Call, borrow: impl FnOnce() -> F) -> Result<Secret>
    where
        F: Future<Output = Result<Lent>>,
    {
        let mut held = self.lock(call).await?;
        if let Some((token, until)) = held.as_ref()
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        let Lent { token, lasts } = borrow().await?;
        *held = Some((
            token.clone(),
            Instant::now() + lasts.saturating_sub(MARGIN).max(lasts / 2),
        ));
        Ok(token)
    }

    /// Drops a token that was refused, unless another question has already replaced it.
    pub(crate) async fn refused(&self, call: &Call, token: &Secret) -> Result<()> {
        let mut held = self.lock(call).await?;
        held.take_if(|(current, _)| current.expose() == token.expose());
        Ok(())
    }

    /// Waits for a token that another question asks for, no longer than the call may last.
    async fn lock(&self, call: &Call) -> Result<MutexGuard<'_, Option<(Secret, Instant)>>> {
        tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            held = self.held.lock() => Ok(held),
            () = tokio::time::sleep_until(call.deadline) => Err(Fault::new(Case::Timeout, Origin::Provider)),
        }
    }
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of an `Authorization` header for a key and its secret.
pub(crate) fn basic(key: &Secret, secret: &Secret) -> Secret {
    let pair = format!("{}:{}", key.expose(), secret.expose());
    let mut encoded = String::from("Basic ");
    for three in pair.as_bytes().chunks(3) {
        let bits = three
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            encoded.push(if place <= three.len() {
                letter.into()
            } else {
                '='
            });
        }
    }
    Secret::new(encoded)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn lent(count: &AtomicUsize, seconds: u64) -> Lent {
        let number = count.fetch_add(1, Ordering::Relaxed);
        Lent {
            token: Secret::new(format!("token {number}")),
            lasts: Duration::from_secs(seconds),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_is_used_until_it_ends_and_shared() -> Result<()> {
        let (tokens, count, call) = (
            Tokens::default(),
            AtomicUsize::new(0),
            Call::within(Duration::from_secs(9_000)),
        );
        let borrow = || async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(lent(&count, 1_200))
        };
        let (first, second) =
            tokio::join!(tokens.current(&call, borrow), tokens.current(&call, borrow));
        assert_eq!((first?.expose(), second?.expose()), ("token 0", "token 0"));
        tokio::time::sleep(Duration::from_secs(1_100)).await;
        assert_eq!(tokens.current(&call, borrow).await?.expose(), "token 0");
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(tokens.current(&call, borrow).await?.expose(), "token 1");
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_token_is_dropped_once() -> Result<()> {
        let (tokens, count, call) = (
            Tokens::default(),
            AtomicUsize::new(0),
            Call::within(Duration::from_secs(60)),
        );
        let borrow = || async { Ok(lent(&count, 1_200)) };
        let old = tokens.current(&call, borrow).await?;
        tokens.refused(&call, &old).await?;
        let new = tokens.current(&call, borrow).await?;
        tokens.refused(&call, &old).await?;
        assert_eq!(
            (new.expose(), tokens.current(&call, borrow).await?.expose()),
            ("token 1", "token 1")
        );
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_for_a_token_waits_no_longer_than_the_call() {
        let tokens = Tokens::default();
        let _busy = tokens.held.lock().await;
        let call = Call::within(Duration::from_secs(3));
        let late = tokens.current(&call, || async {
            Err(Fault::new(Case::Internal, Origin::Local))
        });
        assert_eq!(
            late.await.map_err(|fault| fault.case()).err(),
            Some(Case::Timeout)
        );
        let call = Call::within(Duration::from_secs(3));
        call.cancel.cancel();
        let gone = tokens.current(&call, || async {
            Err(Fault::new(Case::Internal, Origin::Local))
        });
        assert_eq!(
            gone.await.map_err(|fault| fault.case()).err(),
            Some(Case::Cancelled)
        );
    }

    #[test]
    fn keys_are_encoded() {
        let encoded = |key: &str, secret: &str| {
            basic(
                &Secret::new(key.to_owned()),
                &Secret::new(secret.to_owned()),
            )
            .expose()
            .to_owned()
        };
        assert_eq!(
            encoded("Aladdin", "open sesame"),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        );
        assert_eq!(encoded("ab", ""), "Basic YWI6");
        assert_eq!(encoded("abc", ""), "Basic YWJjOg==");
        assert_eq!(encoded("ü", "✓"), "Basic w7w64pyT");
    }
}
