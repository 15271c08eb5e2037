//! The public keys of an authorization server (RFC 7517).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::Value;

use super::jwt::Algorithm;

/// More than any server rotates through. Each may have to be tried.
const MAX_KEYS: usize = 32;

/// A key that signatures can be verified with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) id: Option<String>,
    /// The only algorithm it is for, if it says so.
    pub(super) algorithm: Option<Algorithm>,
    pub(super) material: Material,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
struct WrittenSet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct WrittenKey {
    kty: String,
    kid: Option<String>,
    r#use: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

/// The keys of a set that can verify signatures; others are left out. `None` when it is no set.
pub(super) fn parse(body: &[u8]) -> Option<Vec<Key>> {
    let set: WrittenSet = serde_json::from_slice(body).ok()?;
    let keys = set.keys.into_iter().take(MAX_KEYS);
    let keys = keys.filter_map(|key| key_of(serde_json::from_value(key).ok()?));
    Some(keys.collect())
}

fn key_of(written: WrittenKey) -> Option<Key> {
    let signs = written.r#use.as_deref().is_none_or(|it| it == "sig");
    let ops = written.key_ops.as_deref();
    let verifies = ops.is_none_or(|ops| ops.iter().any(|op| op == "verify"));
    // A key for an algorithm that is not known here is for nothing else.
    let algorithm = match written.alg.as_deref() {
        Some(name) => Some(Algorithm::parse(name)?),
        None => None,
    };
    let bytes = |text: &Option<String>| URL_SAFE_NO_PAD.decode(text.as_deref()?).ok();
    let point = |length: usize| {
        let (x, y) = (bytes(&written.x)?, bytes(&written.y)?);
        let fits = x.len() == length && y.len() == length;
        fits.then(|| [&[4], x.as_slice(), y.as_slice()].concat())
    };
    let material = match (written.kty.as_str(), written.crv.as_deref()) {
        ("RSA", _) => Material::Rsa {
            n: without_zeros(bytes(&written.n)?),
            e: without_zeros(bytes(&written.e)?),
        },
        ("EC", Some("P-256")) => Material::P256(point(32)?),
        ("EC", Some("P-384")) => Material::P384(point(48)?),
        ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(&written.x)?),
        _ => return None,
    };
    (signs && verifies).then_some(Key {
        id: written.kid,
        algorithm,
        material,
    })
}

/// Some servers write numbers with a leading zero byte, which `ring` refuses.
fn without_zeros(bytes: Vec<u8>) -> Vec<u8> {
    let start = bytes.iter().position(|byte| *byte != 0);
    bytes[start.unwrap_or(bytes.len())..].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keys_for_signatures_are_taken() {
        let set = serde_json::json!({"keys": [
            {"kty": "OKP", "crv": "Ed25519", "x": "AAAA", "kid": "a"},
            {"kty": "OKP", "crv": "Ed25519", "x": "AAAA", "kid": "b", "use": "enc"},
            {"kty": "OKP", "crv": "Ed25519", "x": "AAAA", "kid": "c", "key_ops": ["sign"]},
            {"kty": "oct", "k": "AAAA", "kid": "d", "alg": "HS256"},
            {"kty": "RSA", "n": "AAEB", "e": "AQAB", "kid": "e", "alg": "HS256"},
            {"kty": "RSA", "n": "AAEB", "e": "AQAB", "kid": "f", "alg": "RS256"},
            {"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"},
            "nonsense",
        ]});
        let keys = parse(set.to_string().as_bytes()).expect("a set");
        let ids: Vec<_> = keys.iter().filter_map(|key| key.id.as_deref()).collect();
        assert_eq!(ids, ["a", "f"]);
        let Material::Rsa { n, .. } = &keys[1].material else {
            panic!("an RSA key");
        };
        assert_eq!(n, &[1, 1], "without its zero");
        assert_eq!(parse(b"[]"), None);
    }
}
