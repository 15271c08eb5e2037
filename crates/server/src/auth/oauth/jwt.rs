//! Signed access tokens (RFC 7519, RFC 9068): taken apart, and their signature verified.
//!
//! Written on `ring`, which TLS brings anyway: the established crate has either a second
//! implementation of every algorithm or, in its version for `ring`, a known flaw in its checks of
//! time. A header never chooses what a key is used for: an algorithm must be one of the asymmetric
//! ones below, and fit the key that the authorization server published for it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;
use serde_json::Value;

use super::jwks::{Key, Material};

/// A token in its parts. Nothing of it is to be believed before [`Token::is_signed_by`] says so.
pub(super) struct Token<'t> {
    pub(super) header: Header,
    signed: &'t [u8],
    payload: Vec<u8>,
    signature: Vec<u8>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Header {
    pub(super) alg: String,
    pub(super) kid: Option<String>,
    typ: Option<String>,
    /// Extensions that a reader must understand; there are none here.
    crit: Option<Value>,
}

/// What a token says. The fields are optional where a token of another kind may lack them.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    pub(super) iss: Option<String>,
    pub(super) sub: Option<String>,
    pub(super) aud: Option<Texts>,
    pub(super) exp: Option<f64>,
    pub(super) nbf: Option<f64>,
    /// As RFC 9068 has it: separated by spaces.
    scope: Option<Texts>,
    /// The same as some servers have it.
    scp: Option<Texts>,
}

impl Claims {
    /// The names of the token's scopes.
    pub(super) fn scopes(&self) -> impl Iterator<Item = &str> {
        let fields = self.scope.iter().chain(&self.scp);
        fields.flat_map(|texts| texts.iter().flat_map(str::split_whitespace))
    }
}

/// One text or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Texts {
    One(String),
    Several(Vec<String>),
}

impl Texts {
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let all = match self {
            Texts::One(text) => std::slice::from_ref(text),
            Texts::Several(texts) => texts,
        };
        all.iter().map(String::as_str)
    }
}

/// A signature algorithm of RFC 7518 and RFC 8037 that has a public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    EdDsa,
}

impl Algorithm {
    /// `None` for `none`, for shared secrets, and for what is not known here.
    pub(super) fn parse(name: &str) -> Option<Algorithm> {
        Some(match name {
            "RS256" => Algorithm::Rs256,
            "RS384" => Algorithm::Rs384,
            "RS512" => Algorithm::Rs512,
            "PS256" => Algorithm::Ps256,
            "PS384" => Algorithm::Ps384,
            "PS512" => Algorithm::Ps512,
            "ES256" => Algorithm::Es256,
            "ES384" => Algorithm::Es384,
            "EdDSA" | "Ed25519" => Algorithm::EdDsa,
            _ => return None,
        })
    }

    fn rsa(self) -> Option<&'static RsaParameters> {
        Some(match self {
            Algorithm::Rs256 => &signature::RSA_PKCS1_2048_8192_SHA256,
            Algorithm::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
            Algorithm::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
            Algorithm::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
            Algorithm::Ps384 => &signature::RSA_PSS_2048_8192_SHA384,
            Algorithm::Ps512 => &signature::RSA_PSS_2048_8192_SHA512,
            Algorithm::Es256 | Algorithm::Es384 | Algorithm::EdDsa => return None,
        })
    }
}

impl<'t> Token<'t> {
    /// `None` unless it has three parts, with a header that may be used for an access token.
    pub(super) fn parse(text: &'t str) -> Option<Token<'t>> {
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, payload) = signed.split_once('.')?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        let header: Header = serde_json::from_slice(&decode(header)?).ok()?;
        let is_usable = header.crit.is_none() && is_access_token(header.typ.as_deref());
        is_usable.then_some(Token {
            header,
            signed: signed.as_bytes(),
            payload: decode(payload)?,
            signature: decode(signature)?,
        })
    }

    pub(super) fn is_signed_by(&self, key: &Key, algorithm: Algorithm) -> bool {
        if key.algorithm.is_some_and(|only| only != algorithm) {
            return false;
        }
        let verify = |kind: &'static dyn signature::VerificationAlgorithm, point: &[u8]| {
            let key = UnparsedPublicKey::new(kind, point);
            key.verify(self.signed, &self.signature).is_ok()
        };
        match (&key.material, algorithm) {
            (Material::Rsa { n, e }, _) => algorithm.rsa().is_some_and(|parameters| {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(parameters, self.signed, &self.signature).is_ok()
            }),
            (Material::P256(point), Algorithm::Es256) => {
                verify(&signature::ECDSA_P256_SHA256_FIXED, point)
            }
            (Material::P384(point), Algorithm::Es384) => {
                verify(&signature::ECDSA_P384_SHA384_FIXED, point)
            }
            (Material::Ed25519(point), Algorithm::EdDsa) => verify(&signature::ED25519, point),
            _ => false,
        }
    }

    /// What it says; `None` when a field has another type than it should.
    pub(super) fn claims(&self) -> Option<Claims> {
        serde_json::from_slice(&self.payload).ok()
    }
}

/// Some servers write `JWT` or nothing; what names another kind of token is refused.
fn is_access_token(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| {
        ["at+jwt", "application/at+jwt", "jwt"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(kind))
    })
}
