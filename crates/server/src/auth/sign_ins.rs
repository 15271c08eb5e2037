//! Sign-ins of browsers: a random id in a cookie that stands for a token.
//!
//! The cookie holds no token, because a browser sends cookies to every port of a host. What an id
//! stands for is kept in the store, so every server on the same store knows it. A token of the file
//! is looked up again each time, so that removing it ends its sign-ins too.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use engine::store::{self, RecordId, Store, Tenant};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};

use super::{Authenticator, Caller, Credential, Refusal, Scope, Verified};
use crate::token_file::{parse_hash, token_hash};

const KIND: &str = "sign-in";
/// More than a team has browsers.
const MOST: u64 = 10_000;
/// How long a sign-in lasts at most.
pub(crate) const LIVES: Duration = Duration::from_secs(12 * 3_600);

/// Keeps sign-ins in a store.
#[derive(Debug)]
pub(crate) struct SignIns {
    store: Arc<dyn Store>,
    random: SystemRandom,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Written {
    /// The hash of a token of the file, as hexadecimal digits.
    Listed(String),
    /// What an access token said. The record lives no longer than the token.
    Issued {
        tenant: String,
        subject: Option<String>,
        scopes: Vec<String>,
    },
}

impl SignIns {
    pub(crate) fn new(store: Arc<dyn Store>) -> SignIns {
        SignIns {
            store,
            random: SystemRandom::new(),
        }
    }

    /// Begins a sign-in, and returns its id.
    pub(crate) async fn begin(&self, verified: &Verified) -> Result<String, Refusal> {
        let mut bytes = [0; 32];
        let random = self.random.fill(&mut bytes);
        random.map_err(|_| unavailable(&"no random numbers"))?;
        let id = digits(&bytes);
        let (written, lives) = match &verified.credential {
            Credential::Listed(hash) => (Written::Listed(digits(hash)), LIVES),
            Credential::Issued { left } => (issued(&verified.caller), LIVES.min(*left)),
        };
        let text = serde_json::to_string(&written).unwrap_or_default();
        let stored = store::put(&*self.store, record_id(&id), text, lives, MOST).await;
        stored.map_err(Refusal::Unavailable)?;
        Ok(id)
    }

    /// The caller that a sign-in stands for; `None` when it is unknown or has ended.
    pub(crate) async fn find(
        &self,
        id: &str,
        authenticator: &Authenticator,
    ) -> Result<Option<Caller>, Refusal> {
        let record = store::get(&*self.store, &record_id(id)).await;
        let Some(record) = record.map_err(Refusal::Unavailable)? else {
            return Ok(None);
        };
        Ok(match serde_json::from_str(&record.head) {
            Ok(Written::Listed(hash)) => {
                let verified = parse_hash(&hash).and_then(|hash| authenticator.verify_hash(&hash));
                verified.map(|verified| verified.caller)
            }
            Ok(Written::Issued {
                tenant,
                subject,
                scopes,
            }) => Some(Caller {
                tenant: Tenant::subject(tenant),
                subject,
                scopes: scopes
                    .iter()
                    .filter_map(|name| Scope::parse(name))
                    .collect(),
            }),
            Err(_) => None,
        })
    }

    /// Ends a sign-in.
    pub(crate) async fn end(&self, id: &str) -> Result<(), Refusal> {
        let removed = self.store.remove(&record_id(id)).await;
        removed.map_err(Refusal::Unavailable)
    }
}

/// The id is a secret, so the store knows only its hash.
fn record_id(id: &str) -> RecordId {
    RecordId::new(&Tenant::server(), KIND, digits(&token_hash(id)))
}

fn unavailable(evidence: &&'static str) -> Refusal {
    let fault = fault::Fault::new(fault::Case::Internal, fault::Origin::Local);
    Refusal::Unavailable(fault.tainted(fault::Tainted::new(*evidence)))
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What is kept of an access token's caller.
fn issued(caller: &Caller) -> Written {
    let scopes = caller.scopes.iter().map(|scope| scope.as_str().to_owned());
    Written::Issued {
        tenant: caller.tenant.subject_text().unwrap_or_default().to_owned(),
        subject: caller.subject.clone(),
        scopes: scopes.collect(),
    }
}
