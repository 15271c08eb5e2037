//! Access tokens that a provider issues for the operator's key.
//!
//! A token is requested once and used by all queries until shortly before it expires; queries that
//! arrive while it is being requested wait for it. A token that is refused early is dropped, and
//! the provider requests another one, once: if that is refused too, the key is wrong.

use std::future::Future;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use fault::{Case, Fault, Origin, Result, Secret};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use crate::call::Call;

/// A token that was just issued.
#[derive(Debug)]
pub(crate) struct AccessToken {
    /// The secret to send.
    pub token: Secret,
    /// How long it is valid.
    pub lasts: Duration,
}

/// A token is renewed this long before it expires, so that it outlasts the request it is for.
const MARGIN: Duration = Duration::from_secs(60);

/// The current token.
#[derive(Debug, Default)]
pub(crate) struct TokenCache {
    held: Mutex<Option<(Secret, Instant)>>,
}

impl TokenCache {
    /// The current token, or a new one from `request`.
    pub(crate) async fn current<F>(
        &self,
        call: &Call,
        request: impl FnOnce() -> F,
    ) -> Result<Secret>
    where
        F: Future<Output = Result<AccessToken>>,
    {
        let mut held = self.lock(call).await?;
        if let Some((token, until)) = held.as_ref()
            && Instant::now() < *until
        {
            return Ok(token.clone());
        }
        let AccessToken { token, lasts } = request().await?;
        *held = Some((
            token.clone(),
            Instant::now() + lasts.saturating_sub(MARGIN).max(lasts / 2),
        ));
        Ok(token)
    }

    /// Drops a token that was refused, unless another query has already replaced it.
    pub(crate) async fn drop_refused(&self, call: &Call, token: &Secret) -> Result<()> {
        let mut held = self.lock(call).await?;
        held.take_if(|(current, _)| current.expose() == token.expose());
        Ok(())
    }

    /// Waits while another query requests a token, until the deadline of the call.
    async fn lock(&self, call: &Call) -> Result<MutexGuard<'_, Option<(Secret, Instant)>>> {
        tokio::select! {
            biased;
            () = call.cancel.cancelled() => Err(Fault::new(Case::Cancelled, Origin::Local)),
            held = self.held.lock() => Ok(held),
            () = tokio::time::sleep_until(call.deadline) => Err(Fault::new(Case::Timeout, Origin::Provider)),
        }
    }
}

/// The value of an `Authorization` header for a key and its secret.
pub(crate) fn basic(key: &Secret, secret: &Secret) -> Secret {
    let pair = format!("{}:{}", key.expose(), secret.expose());
    Secret::new(format!("Basic {}", BASE64_STANDARD.encode(pair)))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn issued(count: &AtomicUsize, seconds: u64) -> AccessToken {
        let number = count.fetch_add(1, Ordering::Relaxed);
        AccessToken {
            token: Secret::new(format!("token {number}")),
            lasts: Duration::from_secs(seconds),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_is_shared_and_used_until_shortly_before_it_expires() -> Result<()> {
        let (tokens, count, call) = (
            TokenCache::default(),
            AtomicUsize::new(0),
            Call::within(Duration::from_secs(9_000)),
        );
        let request = || async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(issued(&count, 1_200))
        };
        let (first, second) = tokio::join!(
            tokens.current(&call, request),
            tokens.current(&call, request)
        );
        assert_eq!((first?.expose(), second?.expose()), ("token 0", "token 0"));
        tokio::time::sleep(Duration::from_secs(1_100)).await;
        assert_eq!(tokens.current(&call, request).await?.expose(), "token 0");
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(tokens.current(&call, request).await?.expose(), "token 1");
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_refused_token_is_dropped_unless_it_was_replaced() -> Result<()> {
        let (tokens, count, call) = (
            TokenCache::default(),
            AtomicUsize::new(0),
            Call::within(Duration::from_secs(60)),
        );
        let request = || async { Ok(issued(&count, 1_200)) };
        let old = tokens.current(&call, request).await?;
        tokens.drop_refused(&call, &old).await?;
        let new = tokens.current(&call, request).await?;
        tokens.drop_refused(&call, &old).await?;
        assert_eq!(
            (new.expose(), tokens.current(&call, request).await?.expose()),
            ("token 1", "token 1")
        );
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_token_ends_with_the_call() {
        let tokens = TokenCache::default();
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
    fn key_and_secret_are_encoded_for_basic_authorization() {
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
