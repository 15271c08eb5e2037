//! The spans of one call: the call, the upstreams it asks, and each request they send.
//!
//! Names and attributes follow OpenTelemetry's conventions for MCP and for HTTP clients where they
//! exist. What those would add and this leaves out on purpose: addresses (`url.full`), arguments
//! and results, because they hold what users search for, and keys.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use engine::{Asked, SentRequest};
use fault::Fault;
use tokio::time::Instant;

/// The most spans of one call beside its own; more are counted and dropped.
const MAX_SPANS: usize = 128;

pub(crate) type TraceId = u128;
pub(crate) type SpanId = u64;

/// Where a call came from, as far as a trace shows it.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallSource {
    /// The caller's own span, which the call continues.
    pub parent: Option<TraceParent>,
    pub is_http: bool,
}

/// The `traceparent` of W3C Trace Context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    trace: TraceId,
    span: SpanId,
    is_sampled: bool,
}

impl TraceParent {
    /// Reads `00-TRACE-SPAN-FLAGS`. Later versions may have more fields behind these.
    pub fn parse(text: &str) -> Option<TraceParent> {
        let mut parts = text.trim().split('-');
        let version = parts.next()?;
        let (trace, span) = (hex(parts.next()?, 32)?, hex(parts.next()?, 16)?);
        let flags = hex(parts.next()?, 2)?;
        let is_known = hex(version, 2)? != 0xff && (version != "00" || parts.next().is_none());
        let span = SpanId::try_from(span).ok()?;
        (is_known && trace != 0 && span != 0).then_some(TraceParent {
            trace,
            span,
            is_sampled: flags & 1 == 1,
        })
    }
}

/// A number of exactly this many lower-case hexadecimal digits.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let fits = text.len() == digits && text.bytes().all(is_hex);
    fits.then(|| u128::from_str_radix(text, 16).ok())?
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpanKind {
    /// Work within this program.
    Internal,
    /// A call that this program serves.
    Server,
    /// A request that this program sends.
    Client,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Attribute {
    Text(String),
    Number(u64),
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Attribute {
        Attribute::Text(text.to_owned())
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) trace: TraceId,
    pub(crate) id: SpanId,
    pub(crate) parent: Option<SpanId>,
    pub(crate) name: String,
    pub(crate) kind: SpanKind,
    pub(crate) start: SystemTime,
    pub(crate) end: SystemTime,
    pub(crate) attributes: Vec<(&'static str, Attribute)>,
    pub(crate) has_failed: bool,
}

/// Collects the spans of a call until it ends.
#[derive(Debug)]
pub(crate) struct CallTrace {
    trace: TraceId,
    root: SpanId,
    source: CallSource,
    /// One moment on both clocks.
    anchor: (Instant, SystemTime),
    collected: Mutex<Collected>,
}

#[derive(Debug, Default)]
struct Collected {
    spans: Vec<Span>,
    dropped: usize,
}

impl CallTrace {
    /// `None` when the caller says that its trace is not recorded.
    pub(crate) fn start(source: CallSource) -> Option<CallTrace> {
        if source.parent.is_some_and(|parent| !parent.is_sampled) {
            return None;
        }
        let fresh = || fastrand::u128(1..);
        Some(CallTrace {
            trace: source.parent.map_or_else(fresh, |parent| parent.trace),
            root: fresh_span(),
            source,
            anchor: (Instant::now(), SystemTime::now()),
            collected: Mutex::default(),
        })
    }

    /// Where a call comes from that this call makes.
    pub(crate) fn source_inside(&self) -> CallSource {
        CallSource {
            parent: Some(TraceParent {
                trace: self.trace,
                span: self.root,
                is_sampled: true,
            }),
            ..self.source
        }
    }

    /// Adds a request that an upstream sent.
    pub(crate) fn sent(&self, request: &SentRequest) {
        let mut attributes: Vec<(&'static str, Attribute)> = vec![
            ("http.request.method", request.method.as_str().into()),
            (UPSTREAM, request.upstream.into()),
        ];
        if let Some(host) = &request.host {
            attributes.push(("server.address", host.as_str().into()));
        }
        if let Some(port) = request.port {
            attributes.push(("server.port", Attribute::Number(port.into())));
        }
        if let Some(status) = request.status {
            let status = Attribute::Number(status.into());
            attributes.push(("http.response.status_code", status));
        }
        if request.resent > 0 {
            let resent = Attribute::Number(request.resent.into());
            attributes.push(("http.request.resend_count", resent));
        }
        let by_status = request.status.filter(|status| *status >= 400);
        let failure = request.failure.map(str::to_owned);
        let failure = failure.or_else(|| by_status.map(|status| status.to_string()));
        if let Some(failure) = &failure {
            attributes.push((ERROR, failure.as_str().into()));
        }
        self.add(Span {
            trace: self.trace,
            id: fresh_span(),
            parent: Some(request.ask.unwrap_or(self.root)),
            name: request.method.clone(),
            kind: SpanKind::Client,
            start: self.time(request.started),
            end: self.time(request.ended),
            attributes,
            has_failed: failure.is_some(),
        });
    }

    /// Adds an upstream that was asked: the parent of the requests that it sent.
    pub(crate) fn asked(&self, asked: &Asked<'_>) {
        let mut attributes = vec![(UPSTREAM, asked.upstream.into())];
        attributes.extend(asked.fault.map(|fault| (ERROR, reason(fault).into())));
        self.add(Span {
            trace: self.trace,
            id: asked.id,
            parent: Some(asked.parent.unwrap_or(self.root)),
            name: asked.upstream.to_owned(),
            kind: SpanKind::Internal,
            start: self.time(asked.started),
            end: self.time(Instant::now()),
            attributes,
            has_failed: asked.fault.is_some(),
        });
    }

    /// All spans, the call's own last, and how many more were dropped.
    pub(crate) fn finished(&self, call: &FinishedCall<'_>) -> (Vec<Span>, usize) {
        let transport = if self.source.is_http { "tcp" } else { "pipe" };
        let mut attributes: Vec<(&'static str, Attribute)> = vec![
            ("mcp.method.name", "tools/call".into()),
            ("gen_ai.operation.name", "execute_tool".into()),
            ("gen_ai.tool.name", call.tool.into()),
            ("network.transport", transport.into()),
            ("fingerpost.request_id", call.request_id.into()),
        ];
        if let Some(fault) = call.fault {
            // A call that its caller withdrew did not fail.
            if !fault.is_withdrawn() {
                attributes.push((ERROR, "tool_error".into()));
            }
            attributes.extend([
                ("fingerpost.fault.kind", fault.kind().as_str().into()),
                ("fingerpost.fault.reason", reason(fault).into()),
            ]);
        }
        let Collected { mut spans, dropped } = std::mem::take(&mut *self.lock());
        self.adopt_orphans(&mut spans);
        spans.push(Span {
            trace: self.trace,
            id: self.root,
            parent: self.source.parent.map(|parent| parent.span),
            name: format!("tools/call {}", call.tool),
            kind: SpanKind::Server,
            start: self.anchor.1,
            end: self.time(Instant::now()),
            attributes,
            has_failed: call.fault.is_some_and(|fault| !fault.is_withdrawn()),
        });
        (spans, dropped)
    }

    /// Children end before their parents, so a parent may be dropped, or not have ended, while its
    /// children are kept. They are the call's then.
    fn adopt_orphans(&self, spans: &mut [Span]) {
        let kept: HashSet<SpanId> = spans.iter().map(|span| span.id).collect();
        for span in spans {
            span.parent = span.parent.filter(|parent| kept.contains(parent));
            span.parent.get_or_insert(self.root);
        }
    }

    fn add(&self, span: Span) {
        let mut collected = self.lock();
        if collected.spans.len() < MAX_SPANS {
            collected.spans.push(span);
        } else {
            collected.dropped += 1;
        }
    }

    /// The time of the wall clock. A system whose clock is set meanwhile still has spans of the
    /// right length.
    fn time(&self, moment: Instant) -> SystemTime {
        let since: Duration = moment.saturating_duration_since(self.anchor.0);
        self.anchor.1 + since
    }

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a call ended.
#[derive(Debug)]
pub(crate) struct FinishedCall<'a> {
    pub(crate) tool: &'static str,
    pub(crate) request_id: &'a str,
    pub(crate) fault: Option<&'a Fault>,
}

const UPSTREAM: &str = "fingerpost.upstream";
const ERROR: &str = "error.type";

fn fresh_span() -> SpanId {
    fastrand::u64(1..)
}

fn reason(fault: &Fault) -> &'static str {
    fault.reason().unwrap_or(fault.kind().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_valid_traceparent_is_continued() {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let parse = |text: &str| TraceParent::parse(text);
        let parent = parse(&format!("00-{trace}-{span}-01")).expect("valid");
        assert_eq!(
            format!("{:032x} {:016x}", parent.trace, parent.span),
            format!("{trace} {span}")
        );
        assert!(parent.is_sampled);
        assert!(parse(&format!("cc-{trace}-{span}-01-what-ever")).is_some());
        assert!(parse(&format!("00-{trace}-{span}-00")).is_some_and(|it| !it.is_sampled));
        for wrong in [
            String::new(),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-more"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}x-{span}-01"),
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned(),
        ] {
            assert_eq!(parse(&wrong), None, "{wrong}");
        }
    }
}
