//! An authorization server for tests: it publishes its metadata and keys, and signs access tokens,
//! good ones and any other.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use lab::http::Behavior;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Web;

const METADATA: &str = "/.well-known/oauth-authorization-server";
const KEYS: &str = "/jwks";

/// A key pair and its id.
#[derive(Debug)]
pub struct SigningKey {
    id: String,
    pair: Pair,
}

#[derive(Debug)]
enum Pair {
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl SigningKey {
    /// A fresh P-256 key.
    ///
    /// # Panics
    /// When the system has no random numbers.
    #[must_use]
    pub fn p256(id: &str) -> SigningKey {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let written = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("random numbers");
        let pair = EcdsaKeyPair::from_pkcs8(kind, written.as_ref(), &random);
        SigningKey {
            id: id.to_owned(),
            pair: Pair::P256(pair.expect("a fresh key")),
        }
    }

    /// A fresh Ed25519 key.
    ///
    /// # Panics
    /// When the system has no random numbers.
    #[must_use]
    pub fn ed25519(id: &str) -> SigningKey {
        let written = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("random numbers");
        let pair = Ed25519KeyPair::from_pkcs8(written.as_ref());
        SigningKey {
            id: id.to_owned(),
            pair: Pair::Ed25519(pair.expect("a fresh key")),
        }
    }

    /// The public key, as a key set has it.
    #[must_use]
    pub fn public(&self) -> Value {
        match &self.pair {
            Pair::P256(pair) => {
                let point = pair.public_key().as_ref();
                let (x, y) = (encode(&point[1..33]), encode(&point[33..]));
                json!({"kty": "EC", "crv": "P-256", "use": "sig", "kid": self.id, "x": x, "y": y})
            }
            Pair::Ed25519(pair) => {
                let x = encode(pair.public_key().as_ref());
                json!({"kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": self.id, "x": x})
            }
        }
    }

    /// The bytes of the public key, which everybody knows.
    #[must_use]
    pub fn public_bytes(&self) -> &[u8] {
        match &self.pair {
            Pair::P256(pair) => pair.public_key().as_ref(),
            Pair::Ed25519(pair) => pair.public_key().as_ref(),
        }
    }

    /// A token with the usual header.
    #[must_use]
    pub fn sign(&self, claims: &Value) -> String {
        let algorithm = match self.pair {
            Pair::P256(_) => "ES256",
            Pair::Ed25519(_) => "EdDSA",
        };
        self.sign_with(
            &json!({"alg": algorithm, "kid": self.id, "typ": "at+jwt"}),
            claims,
        )
    }

    /// A token with any header, truly signed by this key.
    ///
    /// # Panics
    /// When the system has no random numbers.
    #[must_use]
    pub fn sign_with(&self, header: &Value, claims: &Value) -> String {
        let signed = unsigned(header, claims);
        let signature = match &self.pair {
            Pair::P256(pair) => pair
                .sign(&SystemRandom::new(), signed.as_bytes())
                .expect("random numbers")
                .as_ref()
                .to_vec(),
            Pair::Ed25519(pair) => pair.sign(signed.as_bytes()).as_ref().to_vec(),
        };
        format!("{signed}.{}", encode(&signature))
    }
}

/// The part of a token that is signed.
#[must_use]
pub fn unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| encode(value.to_string().as_bytes());
    format!("{}.{}", part(header), part(claims))
}

/// A token that is signed with a shared secret, as HS256 has it.
#[must_use]
pub fn sign_with_secret(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let signed = unsigned(header, claims);
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
    let tag = ring::hmac::sign(&key, signed.as_bytes());
    format!("{signed}.{}", encode(tag.as_ref()))
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// An authorization server on loopback.
#[derive(Debug)]
pub struct AuthorizationServer {
    web: Web,
}

impl AuthorizationServer {
    /// Starts it with these keys published.
    pub async fn start(keys: &[&SigningKey]) -> AuthorizationServer {
        let server = AuthorizationServer {
            web: Web::start().await,
        };
        let metadata = json!({
            "issuer": server.issuer(),
            "jwks_uri": server.web.url(KEYS),
            "authorization_endpoint": server.web.url("/authorize"),
            "token_endpoint": server.web.url("/token"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        });
        server.publish_metadata(&metadata);
        server.publish(keys);
        server
    }

    /// Its name, without a slash at the end.
    #[must_use]
    pub fn issuer(&self) -> String {
        self.web.url("")
    }

    /// Replaces the published keys.
    pub fn publish(&self, keys: &[&SigningKey]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.public()).collect();
        self.web
            .on(KEYS, Behavior::json(200, &json!({"keys": keys})));
    }

    /// Replaces the metadata document.
    pub fn publish_metadata(&self, metadata: &Value) {
        self.web.on(METADATA, Behavior::json(200, metadata));
    }

    /// Answers every request for the keys with this status.
    pub fn fail(&self, status: u16) {
        self.web.on(KEYS, Behavior::status(status));
    }

    /// How often the keys were asked for.
    #[must_use]
    pub fn key_requests(&self) -> usize {
        self.web.hits(KEYS)
    }

    /// The claims of a token that is good for five minutes.
    #[must_use]
    pub fn claims(&self, subject: &str, audience: &str, scope: &str) -> Value {
        json!({
            "iss": self.issuer(),
            "sub": subject,
            "aud": audience,
            "scope": scope,
            "client_id": "test",
            "iat": seconds_from_now(0),
            "exp": seconds_from_now(300),
        })
    }
}

/// A time as tokens have it.
#[must_use]
pub fn seconds_from_now(seconds: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    i64::try_from(now).unwrap_or(0) + seconds
}
