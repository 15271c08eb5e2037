//! One request to a provider, from its query parameters to the parsed reply.

use std::fmt::Display;

use fault::{Case, Fault, Secret};
use http::{HeaderName, HeaderValue, header};
use serde::de::DeserializeOwned;
use tokio::time::Instant;
use url::Url;

use super::{Api, MAX_BYTES};
use crate::call::Call;
use crate::exchange::{Exchange, ExchangeReply};

/// A request under construction.
#[derive(Debug)]
#[must_use]
pub struct ApiRequest<'a> {
    pub(super) api: &'a Api,
    pub(super) url: Url,
    pub(super) headers: Vec<(HeaderName, Option<HeaderValue>)>,
    pub(super) body: Option<String>,
}

impl ApiRequest<'_> {
    /// With a query parameter.
    pub fn query(mut self, name: &str, value: impl Display) -> Self {
        self.url
            .query_pairs_mut()
            .append_pair(name, &value.to_string());
        self
    }

    /// With a query parameter, if there is a value.
    pub fn maybe(self, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// With a secret as a query parameter, for providers that accept it nowhere else.
    pub fn secret_query(self, name: &str, value: Option<&Secret>) -> Self {
        self.maybe(name, value.map(Secret::expose))
    }

    /// With a header. A value that a header cannot hold makes the request fail.
    pub fn header(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.push((name, HeaderValue::from_str(value).ok()));
        self
    }

    /// With a secret in a header, if there is one.
    pub fn secret_header(mut self, name: &'static str, value: Option<&Secret>) -> Self {
        if let Some(secret) = value {
            self.headers
                .push((HeaderName::from_static(name), hidden(secret.expose())));
        }
        self
    }

    /// With the provider's key as a bearer token, if there is one.
    pub fn bearer(mut self) -> Self {
        if let Some(key) = self.api.key() {
            self.headers.push((
                header::AUTHORIZATION,
                hidden(&format!("Bearer {}", key.expose())),
            ));
        }
        self
    }

    /// With this program's name and the operator's contact in `User-Agent`.
    pub fn identified(mut self) -> Self {
        let agent = self.api.identity().agent();
        self.headers.push((header::USER_AGENT, Some(agent)));
        self
    }

    /// With the operator's mail address as a query parameter, if there is one.
    pub fn mail_query(self, name: &str) -> Self {
        let mail = self.api.identity().mail();
        self.maybe(name, mail)
    }

    /// Sends it. A reply that means a fault becomes that fault.
    pub async fn send(self, call: &Call) -> fault::Result<net::Response> {
        let api = self.api;
        api.accepted(self.exchange(call).await?)
    }

    /// Sends it. A reply that `refusal` finds a fault in becomes that fault, whatever its status
    /// means elsewhere.
    pub async fn send_unless(
        self,
        call: &Call,
        refusal: impl FnOnce(&net::Response) -> Option<Fault>,
    ) -> fault::Result<net::Response> {
        let api = self.api;
        let answer = self.exchange(call).await?;
        match refusal(&answer) {
            Some(fault) => Err(fault),
            None => api.accepted(answer),
        }
    }

    /// Sends it. `None` when the provider says with an error that there are no results
    /// ([`ProviderSpec::nothing`](crate::search::ProviderSpec::nothing)).
    pub async fn send_or_no_results(self, call: &Call) -> fault::Result<Option<net::Response>> {
        let api = self.api;
        let answer = self.exchange(call).await?;
        if api.says_no_results(&answer) {
            Ok(None)
        } else {
            api.accepted(answer).map(Some)
        }
    }

    async fn exchange(self, call: &Call) -> fault::Result<net::Response> {
        let api = self.api;
        let sent = call.exchanges.is_on().then(|| self.description());
        let request = self.finish(call)?;
        let reply = call.send(&api.client, api.spec.id(), request).await;
        let reply = reply.map_err(|fault| api.own(fault));
        if let Some(exchange) = sent {
            call.exchanges.record(Exchange {
                reply: received(&reply),
                ..exchange
            });
        }
        reply
    }

    /// The request as a person may see it, before there is a reply.
    fn description(&self) -> Exchange {
        let header = |(name, value): &(HeaderName, Option<HeaderValue>)| {
            let shown = value.as_ref().filter(|value| !value.is_sensitive());
            let shown = shown.and_then(|value| value.to_str().ok());
            (name.to_string(), shown.map(str::to_owned))
        };
        Exchange {
            method: if self.body.is_some() { "POST" } else { "GET" },
            url: self.url.clone(),
            headers: self.headers.iter().map(header).collect(),
            body: self.body.clone(),
            reply: Err(self.api.fault(Case::Internal)),
        }
    }

    /// Sends it and parses the reply as JSON.
    pub async fn json<T: DeserializeOwned>(self, call: &Call) -> fault::Result<T> {
        let api = self.api;
        let answer = self.accepting("application/json").send(call).await?;
        api.read_json(&answer)
    }

    /// Sends it and decodes the reply as text.
    pub async fn text(self, call: &Call) -> fault::Result<String> {
        let answer = self
            .accepting("text/html, application/xml;q=0.9, */*;q=0.8")
            .send(call)
            .await?;
        Ok(reading::extract::charset::decode(&answer.body, answer.charset().as_deref()).text)
    }

    /// With an `Accept` header, unless the provider has set one.
    fn accepting(self, types: &str) -> Self {
        let is_set = self.headers.iter().any(|(name, _)| *name == header::ACCEPT);
        if is_set {
            self
        } else {
            self.header(header::ACCEPT, types)
        }
    }

    fn finish(self, call: &Call) -> fault::Result<net::Request> {
        let mut request = match self.body {
            Some(body) => net::Request::post(self.url, body).replayable(),
            None => net::Request::get(self.url),
        };
        for (name, value) in self.headers {
            // Only configured values can be invalid, such as a key with a line break.
            let value = value.ok_or_else(|| self.api.fault(Case::BadKey))?;
            request = request.header(name, value);
        }
        request.deadline = call.deadline.min(Instant::now() + self.api.timeout);
        Ok(request
            .at_most(MAX_BYTES, MAX_BYTES)
            .cancelled_by(call.cancel.clone()))
    }
}

fn received(reply: &fault::Result<net::Response>) -> fault::Result<ExchangeReply> {
    let reply = reply.as_ref().map_err(Clone::clone)?;
    Ok(ExchangeReply {
        status: reply.status,
        headers: reply.headers.clone(),
        body: reply.body.to_vec(),
    })
}

fn hidden(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}
