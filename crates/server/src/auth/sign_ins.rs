//! Sign-ins of browsers: a random id in a cookie that stands for a token.
//!
//! The cookie holds no token, because a browser sends cookies to every port of a host. What an id
//! stands for is kept in the store, so every server on the same store knows it. A token of the file
//! is looked up again each time, so that removing it ends its sign-ins too; those of an access token
//! end when the operator chooses another issuer, and allow what its scopes allow now.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use engine::store::{self, RecordId, Store, Tenant};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};

use super::{Authenticator, Caller, Credential, Refusal, Verified};
use crate::token_file::{parse_hash, token_hash};

const KIND: &str = "sign-in";
/// More than one user has browsers. A new sign-in ends the oldest one of the same user.
const MOST_OF_A_USER: u64 = 100;
/// How many bytes of a hash tell users apart in ids.
const OWNER_BYTES: usize = 16;
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
        issuer: String,
        tenant: String,
        subject: Option<String>,
        /// As the token has them, with the operator's prefix.
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
        let owner = token_hash(verified.caller.tenant.as_str());
        let owner = digits(owner.get(..OWNER_BYTES).unwrap_or_default());
        let id = format!("{owner}-{}", digits(&bytes));
        let (written, lives) = match &verified.credential {
            Credential::Listed(hash) => (Written::Listed(digits(hash)), LIVES),
            Credential::Issued {
                left,
                issuer,
                scopes,
            } => {
                let written = Written::Issued {
                    issuer: issuer.clone(),
                    tenant: subject_text(&verified.caller),
                    subject: verified.caller.subject.clone(),
                    scopes: scopes.clone(),
                };
                (written, LIVES.min(*left))
            }
        };
        let text = serde_json::to_string(&written).unwrap_or_default();
        let stored = store::put(&*self.store, record_id(&id), text, lives, MOST_OF_A_USER).await;
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
                issuer,
                tenant,
                subject,
                scopes,
            }) => {
                let oauth = authenticator.oauth();
                let allowed = oauth.and_then(|oauth| oauth.allowed_now(&issuer, &scopes));
                allowed.map(|scopes| Caller {
                    tenant: Tenant::subject(tenant),
                    subject,
                    scopes,
                })
            }
            Err(_) => None,
        })
    }

    /// Ends a sign-in.
    pub(crate) async fn end(&self, id: &str) -> Result<(), Refusal> {
        let removed = self.store.remove(&record_id(id)).await;
        removed.map_err(Refusal::Unavailable)
    }
}

/// The id is a secret, so the store knows only its hash. What stands before its dash is made from its
/// user, whose sign-ins are kept together, apart from those of others.
fn record_id(id: &str) -> RecordId {
    let (owner, _) = id.split_once('-').unwrap_or_default();
    let owner = Tenant::subject(format!("sign-ins {owner}"));
    RecordId::new(&owner, KIND, digits(&token_hash(id)))
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

fn subject_text(caller: &Caller) -> String {
    let text = caller.tenant.subject_text();
    text.unwrap_or_default().to_owned()
}
