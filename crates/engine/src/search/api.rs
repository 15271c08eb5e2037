//! How a provider file talks to its interface: `api.get("/search").query("q",
//! text).json::<Answer>(call).await?`.
//!
//! Everything that can go wrong on the way is a fault that names the provider. A status is judged
//! by the rules that hold everywhere, then by the provider's own table of machine codes; no prose
//! and no text of the query is looked at. Whatever the provider said is kept for the operator. The
//! client is the trusted one: it follows no redirects and sends no Referer.

use std::fmt::Display;
use std::time::Duration;

use fault::{Case, Fault, Host, Kind, Limit, Origin, Phase, Secret, Size, Tainted};
use http::{HeaderName, HeaderValue, header};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use super::provider::{Meaning, ProviderSpec, Tier};
use crate::call::Call;
use reading::document::xml::XmlTree;

/// An answer of results is far smaller than this.
const MAX_BYTES: u64 = 8 << 20;

/// Elements, attributes and texts of an answer in XML, and of an error in XML.
const MAX_NODES: usize = 1 << 20;
const MAX_ERROR_NODES: usize = 1_000;

/// How one provider is reached.
#[derive(Debug, Clone)]
pub struct Api {
    spec: &'static ProviderSpec,
    base: Url,
    configured: bool,
    key: Option<Secret>,
    extras: Vec<(&'static str, Secret)>,
    client: net::Client,
    timeout: Duration,
}

/// What the operator set for one provider.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProviderSettings {
    /// `<id>-url`.
    pub url: Option<Url>,
    /// `<id>-api-key`.
    pub key: Option<Secret>,
    /// `<id>-timeout`.
    pub timeout: Option<Duration>,
    /// Whether the operator has turned it off.
    pub disabled: bool,
    /// Settings of its own, by whole name.
    pub extras: Vec<(String, Secret)>,
}

impl Api {
    /// The way to a provider; nothing when nobody says where it is.
    pub fn new(
        spec: &'static ProviderSpec,
        settings: &ProviderSettings,
        client: net::Client,
    ) -> Option<Api> {
        // What is inside this program has no address, and nothing is ever sent to this one.
        let inside = (spec.tier == Tier::Embedded).then_some("http://embedded.invalid");
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
            extras,
            client,
            timeout,
        })
    }

    /// A GET of a path below the base address (`/search`; empty for the base itself).
    pub fn get(&self, path: &str) -> ApiRequest<'_> {
        self.request(path, None)
    }

    /// A POST of a JSON document. It is a read all the same: it may be repeated.
    pub fn post_json(&self, path: &str, body: &Value) -> ApiRequest<'_> {
        self.request(path, Some(body.to_string()))
            .header(header::CONTENT_TYPE, "application/json")
    }

    /// A POST of form fields. It is a read all the same: it may be repeated.
    pub fn post_form(&self, path: &str, fields: &[(&str, &str)]) -> ApiRequest<'_> {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        self.request(path, Some(body))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
    }

    /// A GET of a whole address of the provider's own (a second host of it), unless the operator
    /// configured another base: then the path below that.
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

    /// The key, where there is one.
    pub fn key(&self) -> Option<&Secret> {
        self.key.as_ref()
    }

    /// A setting of the provider's own, by its whole name.
    pub fn extra(&self, name: &str) -> Option<&Secret> {
        self.extras
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// Whether the operator says where it is, instead of its default.
    pub fn is_configured(&self) -> bool {
        self.configured
    }

    /// Where it is.
    pub fn base(&self) -> &Url {
        &self.base
    }

    /// A fault of this provider.
    pub fn fault(&self, case: Case) -> Fault {
        self.own(Fault::new(case, Origin::Provider).host(Host::of(&self.base)))
    }

    /// A fault for an answer that is not in the documented form; the answer is kept for the
    /// operator.
    pub fn bad_shape(&self, answer: &[u8]) -> Fault {
        self.fault(Case::BadShape)
            .phase(Phase::Decode)
            .size(Size::Bytes(answer.len() as u64))
            .tainted(words(answer))
    }

    /// An answer as JSON.
    pub fn read_json<T: DeserializeOwned>(&self, answer: &net::Response) -> fault::Result<T> {
        serde_json::from_slice(&answer.body).map_err(|_| self.bad_shape(&answer.body))
    }

    /// An answer as XML with this outermost element. Half an answer is none.
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

    /// An answer that means no fault.
    fn accepted(&self, answer: net::Response) -> fault::Result<net::Response> {
        if let Some(fault) = self.judge(&answer) {
            return Err(fault);
        }
        // Cut by our own cap it is as long the next time; cut by the other side it may be whole.
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

    fn own(&self, fault: Fault) -> Fault {
        let fault = fault.provider(self.spec.id);
        match fault.kind() {
            Kind::AuthRequired => fault.setting(self.spec.settings.key_variable),
            _ => fault,
        }
    }

    /// What an answer means, if it means a fault.
    fn judge(&self, answer: &net::Response) -> Option<Fault> {
        let general = answer.fault(Origin::Provider);
        let wait = net::requested_wait(&answer.headers, answer.problem().as_ref());
        // A gatekeeper in front of the provider answers in its place, so the provider's table does
        // not apply.
        let said = if is_challenge(answer) {
            Some(Case::BotChallenge)
        } else {
            self.meaning(answer)
        };
        // A refusal that tells when to come back is a limit and no verdict: GitHub's is a 403.
        let is_limit = || answer.status == 403 && wait.is_some();
        let fault = match (
            said.or_else(|| is_limit().then_some(Case::Http429)),
            general,
        ) {
            (Some(case), Some(general)) => refined(case, &general),
            (Some(case), None) => Fault::new(case, Origin::Provider)
                .status(answer.status)
                .host(Host::of(&self.base)),
            (None, general) => general?,
        };
        Some(self.own(fault.told_wait(wait)).tainted(words(&answer.body)))
    }

    /// The first row of the provider's table that fits.
    fn meaning(&self, answer: &net::Response) -> Option<Case> {
        let mut rows = self
            .spec
            .errors
            .iter()
            .filter(|row| row.status == answer.status)
            .peekable();
        rows.peek()?;
        let codes = self.codes(answer);
        let fits = |row: &&Meaning| {
            row.code
                .is_none_or(|code| codes.iter().any(|it| it == code))
        };
        rows.find(fits).map(|row| row.case)
    }

    /// Whether the provider says with an error that it found nothing.
    fn says_nothing(&self, answer: &net::Response) -> bool {
        let mut rows = self
            .spec
            .nothing
            .iter()
            .filter(|(status, _)| *status == answer.status)
            .peekable();
        if rows.peek().is_none() {
            return false;
        }
        let codes = self.codes(answer);
        rows.any(|(_, code)| match code {
            Some(code) => codes.iter().any(|it| it == code),
            None => answer.content_type().as_deref() == Some("application/json"),
        })
    }

    /// The machine codes of an answer, wherever this provider puts them.
    fn codes(&self, answer: &net::Response) -> Vec<String> {
        let at = self.spec.codes_at.iter();
        let mut codes: Vec<String> = match serde_json::from_slice::<Value>(&answer.body) {
            Ok(body) => at.filter_map(|at| code(body.pointer(at)?)).collect(),
            Err(_) => match XmlTree::parse(&answer.body, MAX_ERROR_NODES) {
                Ok(tree) => at.filter_map(|at| element_code(&tree, at)).collect(),
                Err(_) => Vec::new(),
            },
        };
        let headers = self
            .spec
            .codes_in
            .iter()
            .filter_map(|name| answer.header(name));
        codes.extend(
            headers
                .flat_map(|value| value.split([' ', ',', ';', ':', '(', ')']))
                .map(str::to_owned),
        );
        codes
    }
}

/// The text of the element that a pointer names, outermost first.
fn element_code(tree: &XmlTree, at: &str) -> Option<String> {
    let mut steps = at.split('/').skip(1);
    let root = tree.root();
    let outermost = steps
        .next()
        .filter(|name| *name == root.name())
        .map(|_| root)?;
    let element = steps.try_fold(outermost, |element, name| element.child(name))?;
    Some(element.text().trim().to_owned())
}

/// The general fault with its facts, under the case the provider means.
fn refined(case: Case, general: &Fault) -> Fault {
    Fault::new(case, Origin::Provider)
        .status(general.seen_status())
        .phase(general.seen_phase())
        .host(general.seen_host().cloned())
}

/// A code is a word or a number.
fn code(value: &Value) -> Option<String> {
    match value {
        Value::String(word) => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Cloudflare marks its challenges with a header of its own.
fn is_challenge(answer: &net::Response) -> bool {
    answer.header("cf-mitigated") == Some("challenge")
}

fn words(body: &[u8]) -> Tainted {
    Tainted::new(String::from_utf8_lossy(&body[..body.len().min(8_000)]).into_owned())
}

/// A request under construction.
#[derive(Debug)]
#[must_use]
pub struct ApiRequest<'a> {
    api: &'a Api,
    url: Url,
    headers: Vec<(HeaderName, Option<HeaderValue>)>,
    body: Option<String>,
}

impl ApiRequest<'_> {
    /// With a query parameter.
    pub fn query(mut self, name: &str, value: impl Display) -> Self {
        self.url
            .query_pairs_mut()
            .append_pair(name, &value.to_string());
        self
    }

    /// With a query parameter, where there is a value.
    pub fn maybe(self, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// With a secret as a query parameter, for interfaces that take it nowhere else.
    pub fn secret_query(self, name: &str, value: Option<&Secret>) -> Self {
        self.maybe(name, value.map(Secret::expose))
    }

    /// With a header; a value that no header can hold makes the request fail.
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.push((name, HeaderValue::from_str(value).ok()));
        self
    }

    /// With a secret in a header, where there is one.
    pub fn secret_header(mut self, name: &'static str, value: Option<&Secret>) -> Self {
        if let Some(secret) = value {
            self.headers
                .push((HeaderName::from_static(name), hidden(secret.expose())));
        }
        self
    }

    /// With the provider's key as a bearer token, where there is one.
    pub fn bearer(mut self) -> Self {
        if let Some(key) = self.api.key() {
            self.headers.push((
                header::AUTHORIZATION,
                hidden(&format!("Bearer {}", key.expose())),
            ));
        }
        self
    }

    /// Sends it; an answer that means a fault is one.
    pub async fn send(self, call: &Call) -> fault::Result<net::Response> {
        let api = self.api;
        api.accepted(self.exchange(call).await?)
    }

    /// Sends it; nothing when the provider says with one of its errors that it found nothing
    /// ([`ProviderSpec::nothing`]).
    pub async fn found(self, call: &Call) -> fault::Result<Option<net::Response>> {
        let api = self.api;
        let answer = self.exchange(call).await?;
        if api.says_nothing(&answer) {
            Ok(None)
        } else {
            api.accepted(answer).map(Some)
        }
    }

    async fn exchange(self, call: &Call) -> fault::Result<net::Response> {
        let api = self.api;
        api.client
            .send(self.finish(call)?)
            .await
            .map_err(|fault| api.own(fault))
    }

    /// Sends it and reads the answer as JSON.
    pub async fn json<T: DeserializeOwned>(self, call: &Call) -> fault::Result<T> {
        let api = self.api;
        let answer = self.accepting("application/json").send(call).await?;
        api.read_json(&answer)
    }

    /// Sends it and reads the answer as text.
    pub async fn text(self, call: &Call) -> fault::Result<String> {
        let answer = self
            .accepting("text/html, application/xml;q=0.9, */*;q=0.8")
            .send(call)
            .await?;
        Ok(reading::extract::charset::decode(&answer.body, answer.charset().as_deref()).text)
    }

    /// Asks for a form of answer, unless the provider's file asks for one of its own.
    fn accepting(self, form: &str) -> Self {
        let asks = self.headers.iter().any(|(name, _)| *name == header::ACCEPT);
        if asks {
            self
        } else {
            self.header(header::ACCEPT, form)
        }
    }

    fn finish(self, call: &Call) -> fault::Result<net::Request> {
        let mut request = match self.body {
            Some(body) => net::Request::post(self.url, body).replayable(),
            None => net::Request::get(self.url),
        };
        for (name, value) in self.headers {
            // The only values that can be unfit are configured ones: a key with a line break in it.
            let value = value.ok_or_else(|| self.api.fault(Case::BadKey))?;
            request = request.header(name, value);
        }
        request.deadline = call.deadline.min(Instant::now() + self.api.timeout);
        Ok(request
            .at_most(MAX_BYTES, MAX_BYTES)
            .cancelled_by(call.cancel.clone()))
    }
}

fn hidden(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded(xml: &str, at: &str) -> Option<String> {
        element_code(&XmlTree::parse(xml.as_bytes(), MAX_ERROR_NODES).ok()?, at)
    }

    #[test]
    fn codes_are_read_from_elements_by_their_whole_path() {
        let fault = "<?xml version='1.0'?><fault xmlns=\"http://ops.epo.org\"><code> SERVER.EntityNotFound </code><message>403</message></fault>";
        assert_eq!(
            coded(fault, "/fault/code").as_deref(),
            Some("SERVER.EntityNotFound")
        );
        for elsewhere in [
            "/error/code",
            "/code",
            "/fault/code/x",
            "/fault/other",
            "fault",
            "",
        ] {
            assert_eq!(coded(fault, elsewhere), None, "{elsewhere}");
        }
        let page = "<html><body><fault><code>SERVER.EntityNotFound</code></fault></body></html>";
        assert_eq!(coded(page, "/fault/code"), None);
        assert_eq!(coded("not markup", "/fault/code"), None);
    }
}
