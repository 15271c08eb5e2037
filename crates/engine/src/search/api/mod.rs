//! How a provider file sends requests:
//! `api.get("/search").query("q", text).json::<BraveReply>(call).await?`.
//!
//! Every failure on the way is a fault that names the provider; `classify` decides what a reply
//! means. The text of a failed reply is kept for the operator. The client is the trusted one: it
//! follows no redirects and sends no Referer.

mod classify;
mod identity;
mod request;
mod results;

use std::time::Duration;

use fault::{Action, Case, Fault, Host, Limit, Origin, Phase, Secret, SettingName, Size, Tainted};
use http::header;
use reading::document::xml::XmlTree;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

use super::provider::{KeyRequirement, ProviderSpec, ProviderTier};
pub(crate) use identity::CONTACT;
pub use identity::Identity;
pub use request::ApiRequest;
pub(crate) use results::Results;

/// The most bytes of a reply. Results are far smaller.
const MAX_BYTES: u64 = 8 << 20;

/// The most elements, attributes and texts of a reply in XML.
const MAX_NODES: usize = 1 << 20;

/// The connection to one provider: its address, its key and the client.
#[derive(Debug, Clone)]
pub struct Api {
    spec: &'static ProviderSpec,
    base: Url,
    configured: bool,
    key: Option<Secret>,
    key_name: SettingName,
    extras: Vec<(&'static str, Secret)>,
    client: net::Client,
    timeout: Duration,
    identity: Identity,
}

/// What the operator set for one provider.
#[derive(Debug, Clone, Default, PartialEq, Hash)]
pub struct ProviderSettings {
    /// Its address, instead of the default.
    pub url: Option<Url>,
    pub key: Option<Secret>,
    /// The variable that the key was read from; `None` for our own.
    pub key_name: Option<SettingName>,
    /// How long one request may take, instead of the default.
    pub timeout: Option<Duration>,
    /// Whether the operator has turned it off.
    pub disabled: bool,
    /// The values of its [`ProviderSpec::extras`], by name.
    pub extras: Vec<(String, Secret)>,
}

impl Api {
    /// The connection to a provider; `None` when it has no address.
    pub fn new(
        spec: &'static ProviderSpec,
        settings: &ProviderSettings,
        client: net::Client,
    ) -> Option<Api> {
        // An embedded provider needs no address; nothing is sent to this one.
        let inside = (spec.tier == ProviderTier::Embedded).then_some("http://embedded.invalid");
        let base = settings
            .url
            .clone()
            .or_else(|| Url::parse(spec.base.or(inside)?).ok())?;
        let named = |name: &str| {
            settings
                .extras
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        };
        let extras = spec
            .extras
            .iter()
            .filter_map(|extra| Some((extra.name.as_str(), named(extra.name.as_str())?)))
            .collect();
        let timeout = settings.timeout.unwrap_or(spec.timeout);
        Some(Api {
            spec,
            base,
            configured: settings.url.is_some(),
            key: settings.key.clone(),
            key_name: settings.key_name.unwrap_or(spec.settings.key_variable),
            extras,
            client,
            timeout,
            identity: Identity::default(),
        })
    }

    /// With the name by which providers know the caller.
    #[must_use]
    pub fn identified_as(mut self, identity: Identity) -> Api {
        self.identity = identity;
        self
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// A GET of a path below the base address (`/search`; empty for the base itself).
    pub fn get(&self, path: &str) -> ApiRequest<'_> {
        self.request(path, None)
    }

    /// A POST of a JSON document. It only reads, so it may be repeated.
    pub fn post_json(&self, path: &str, body: &Value) -> ApiRequest<'_> {
        self.request(path, Some(body.to_string()))
            .header(header::CONTENT_TYPE, "application/json")
    }

    /// A POST of form fields. It only reads, so it may be repeated.
    pub fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> ApiRequest<'_> {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        self.request(path, Some(body))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
    }

    /// A GET from a second host of the provider. When the operator has set another address, the
    /// path is below that instead.
    pub fn get_at(&self, default: &str, path: &str) -> ApiRequest<'_> {
        let mut request = self.get(path);
        if let (false, Ok(url)) = (self.configured, Url::parse(&format!("{default}{path}"))) {
            request.url = url;
        }
        request
    }

    fn request(&self, path: &str, body: Option<String>) -> ApiRequest<'_> {
        let mut url = self.base.clone();
        let whole = format!("{}{path}", url.path().trim_end_matches('/'));
        url.set_path(&whole);
        ApiRequest {
            api: self,
            url,
            headers: Vec::new(),
            body,
        }
    }

    /// The provider's key, if the operator has set one.
    pub fn key(&self) -> Option<&Secret> {
        self.key.as_ref()
    }

    /// The value of one of [`ProviderSpec::extras`], by name.
    pub fn extra(&self, name: &str) -> Option<&Secret> {
        self.extras
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// Whether the operator has set the address.
    pub fn is_configured(&self) -> bool {
        self.configured
    }

    pub fn base(&self) -> &Url {
        &self.base
    }

    /// A fault that names this provider.
    pub fn fault(&self, case: Case) -> Fault {
        self.own(Fault::new(case, Origin::Provider).host(Host::from_url(&self.base)))
    }

    /// The fault for a reply that does not have the documented form.
    pub fn bad_shape(&self, answer: &[u8]) -> Fault {
        self.fault(Case::BadShape)
            .phase(Phase::Decode)
            .size(Size::Bytes(answer.len() as u64))
            .tainted(for_operator(answer))
    }

    /// Parses a reply as JSON; see `results` for what is tolerated.
    pub fn read_json<T: DeserializeOwned>(&self, answer: &net::Response) -> fault::Result<T> {
        results::read(&answer.body).ok_or_else(|| self.bad_shape(&answer.body))
    }

    /// Parses a reply as XML with this outermost element. An incomplete reply is a fault.
    pub(crate) fn read_xml(
        &self,
        answer: &net::Response,
        outermost: &str,
    ) -> fault::Result<XmlTree> {
        let whole = |tree: &XmlTree| !tree.incomplete && tree.root().name() == outermost;
        XmlTree::parse(&answer.body, MAX_NODES)
            .ok()
            .filter(whole)
            .ok_or_else(|| self.bad_shape(&answer.body))
    }

    /// The reply, or the fault that it means.
    fn accepted(&self, answer: net::Response) -> fault::Result<net::Response> {
        if let Some(fault) = self.fault_of(&answer) {
            return Err(fault);
        }
        // A reply over our limit will be as long the next time, so a retry is useless. One that the
        // other side cut may be complete then.
        if answer.raw_bytes.max(answer.body.len() as u64) >= MAX_BYTES {
            return Err(self
                .fault(Case::BadShape)
                .phase(Phase::Body)
                .size(Size::Bytes(answer.raw_bytes))
                .limit(Limit::Bytes(MAX_BYTES)));
        }
        if answer.truncated {
            return Err(self
                .fault(Case::TruncatedBody)
                .size(Size::Bytes(answer.raw_bytes)));
        }
        Ok(answer)
    }

    /// The fault with this provider's name, and that of its key's setting where the key is at
    /// fault. A provider that was asked without a key did not refuse one: it refuses this server.
    fn own(&self, fault: Fault) -> Fault {
        let fault = fault.provider(self.spec.id);
        match fault.row().action {
            Action::CheckApiKey if self.uses_key() => fault.setting(self.key_name),
            Action::CheckApiKey => {
                classify::refined(Case::AccessDenied, &fault).provider(self.spec.id)
            }
            _ => fault,
        }
    }

    fn uses_key(&self) -> bool {
        self.key.is_some() && self.spec.key != KeyRequirement::None
    }
}

/// The start of a reply, for the operator only.
fn for_operator(body: &[u8]) -> Tainted {
    Tainted::new(String::from_utf8_lossy(&body[..body.len().min(8_000)]).into_owned())
}
