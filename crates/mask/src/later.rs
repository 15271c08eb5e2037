//! Secrets that become known while a program runs, such as tokens of a file that was changed.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use super::exact::Exact;

/// Secrets that become known later. Clones share them, and so do all maskers that were made with
/// one of the clones. A secret stays known: one that is used no longer may still be in a log.
///
/// ```
/// use mask::{LaterSecrets, Masker};
/// let later = LaterSecrets::default();
/// let masker = Masker::default().with_later(later.clone());
/// assert_eq!(masker.mask("the word is swordfish"), "the word is swordfish");
/// later.add(["swordfish"]);
/// assert_eq!(masker.mask("the word is swordfish"), "the word is ***");
/// ```
#[derive(Clone, Default)]
pub struct LaterSecrets(Arc<RwLock<Known>>);

#[derive(Default)]
struct Known {
    secrets: BTreeSet<String>,
    exact: Option<Arc<Exact>>,
}

impl LaterSecrets {
    /// Adds secrets. Blank ones are ignored.
    pub fn add<S: AsRef<str>>(&self, secrets: impl IntoIterator<Item = S>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.secrets.len();
        let new = secrets.into_iter().map(|it| it.as_ref().to_owned());
        known.secrets.extend(new);
        if known.secrets.len() > before {
            let exact = Exact::new(known.secrets.iter().map(String::as_str));
            known.exact = exact.map(Arc::new);
        }
    }

    pub(super) fn known(&self) -> Option<Arc<Exact>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.exact.clone()
    }
}

/// Equal when they know the same secrets.
impl PartialEq for LaterSecrets {
    fn eq(&self, other: &Self) -> bool {
        let secrets = |it: &Self| {
            let known = it.0.read().unwrap_or_else(PoisonError::into_inner);
            known.secrets.clone()
        };
        Arc::ptr_eq(&self.0, &other.0) || secrets(self) == secrets(other)
    }
}

impl fmt::Debug for LaterSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LaterSecrets")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Masker;

    #[test]
    fn every_clone_and_every_masker_learns_a_secret() {
        let later = LaterSecrets::default();
        let first = Masker::new(["first-secret"]).with_later(later.clone());
        let second = first.clone();
        later.clone().add(["later-secret", " "]);
        later.add(["last/secret"]);
        let text = "first-secret later-secret last%2Fsecret";
        assert_eq!(first.mask(text), "*** *** ***");
        assert_eq!(second.mask_configured(text), "*** *** ***");
        let mut object = serde_json::json!({ "later-secret": ["x later-secret y"] });
        second.mask_json(&mut object);
        assert!(!object.to_string().contains("later-secret"), "{object}");
        assert!(!format!("{later:?} {first:?}").contains("secret-"));
    }
}
