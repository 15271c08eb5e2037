//! Who makes a request over HTTP, and what they may do.
//!
//! [`Authenticator`] finds the [`Caller`] of a request, or the [`Refusal`] that answers it. The guard
//! (`transport::http::guard`) asks it before anything else looks at a request, and puts the caller
//! into the request's extensions. So whatever serves a request takes the caller from there:
//!
//! ```text
//! request.extensions().get::<Caller>()        in a handler of axum (or Extension(caller): Extension<Caller>)
//! context.extensions.get::<Parts>()…          in an MCP method: `Caller::of`
//! ```
//!
//! A caller is named by a static bearer token (`static_tokens`, the file of `--tokens`), by an
//! access token of an authorization server (`oauth`), by a browser's sign-in, which stands for one of
//! these tokens (`sign_ins`), or by a trusted proxy (`--subject-header`). Without any of them the
//! server is open: every request has the same caller, who may do everything.
//!
//! Routes for people put the guard around themselves with `Guard::around(routes, Access::PAGE)`:
//! it accepts the sign-in cookie besides the header, and leads a browser without one to `/sign-in`.

mod authenticator;
pub(crate) mod oauth;
mod refusal;
mod sign_ins;
mod static_tokens;

use engine::store::Tenant;

pub(crate) use self::authenticator::{Authenticator, Credential, MCP_PATH, Verified};
pub(crate) use self::refusal::{Challenge, Refusal, TokenProblem};
pub(crate) use self::sign_ins::{LIVES as SIGN_IN_LIVES, SignIns};
pub(crate) use crate::scope::{Scope, Scopes};

/// Who makes a request, and what they may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Whose sessions, stored answers and limits these are.
    pub(crate) tenant: Tenant,
    /// The user's name, for people; `None` on a server that does not know its users.
    pub(crate) subject: Option<String>,
    pub(crate) scopes: Scopes,
}

impl Caller {
    /// The caller of a server that does not know its users.
    pub(crate) fn unnamed() -> Caller {
        Caller {
            tenant: Tenant::local(),
            subject: None,
            scopes: Scopes::all(),
        }
    }

    /// The caller of a request that the guard let through.
    pub(crate) fn of(parts: &http::request::Parts) -> Option<&Caller> {
        parts.extensions.get()
    }
}
