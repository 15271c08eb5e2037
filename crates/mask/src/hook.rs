//! Secret parts of paths: webhooks, links to confirm and reset.

use super::text::{Span, Text, is_url_safe};
use super::value;

/// Where the secret part of a webhook path starts and ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hook {
    pub(super) marker: &'static str,
    /// How many path segments stay after the marker, such as a public id.
    keep: usize,
    /// Whether the rest of the path is masked, or only one segment. Segments that would stay are
    /// masked too, because all of them together are the secret.
    rest: bool,
    /// Whether the segment must look like a key, because the marker alone is an ordinary path.
    judged: bool,
}

const fn hook(marker: &'static str, keep: usize, rest: bool, judged: bool) -> Hook {
    Hook {
        marker,
        keep,
        rest,
        judged,
    }
}

pub(super) const HOOKS: &[Hook] = &[
    hook("hooks.slack.com/services/", 0, true, false),
    hook("hooks.slack.com/workflows/", 0, true, false),
    hook("hooks.slack.com/triggers/", 0, true, false),
    hook("/services/T", 2, true, true),
    hook("/api/webhooks/", 1, false, true),
    hook("/webhookb2/", 0, true, false),
    hook("office.com/webhook/", 0, true, false),
    hook("hooks.zapier.com/hooks/catch/", 0, true, false),
    hook(".tines.com/webhook/", 1, false, true),
    hook("/with/key/", 0, false, true),
    hook("infura.io/v3/", 0, false, true),
    hook("alchemy.com/v2/", 0, false, true),
    hook("/bot/v2/hook/", 0, false, true),
    hook("hc-ping.com/", 0, false, true),
    hook("/bot", 0, false, true),
    hook("/hooks/", 0, false, true),
    hook("/reset/", 0, false, true),
    hook("/reset-password/", 0, false, true),
    hook("/password-reset/", 0, false, true),
    hook("/password/reset/", 0, false, true),
    hook("/invite/", 0, false, true),
    hook("/verify/", 0, false, true),
    hook("/verify-email/", 0, false, true),
    hook("/confirm/", 0, false, true),
    hook("/activate/", 0, false, true),
    hook("/magic-link/", 0, false, true),
    hook("/magic/", 0, false, true),
    hook("/token/", 0, false, true),
    hook("/private-", 0, false, true),
    hook("/apikey/", 0, false, true),
    hook("/key/", 0, false, true),
    hook("/api_key/", 0, false, true),
    hook("/t/", 0, false, true),
    hook("/receiver/v1/http/", 0, false, true),
    hook(".quiknode.pro/", 0, false, true),
    hook("/integrations/generic/", 2, false, true),
    hook("/integrations/", 0, false, true),
    hook("/scripts/", 0, false, true),
    hook("/catch/", 0, true, false),
    hook("/incoming/", 0, false, true),
    hook("/webhooks/", 0, false, true),
    hook("/webhook/", 0, false, true),
    hook("/hook/", 0, false, true),
    hook("/rpc/", 0, false, true),
    hook("/join/", 0, false, true),
    hook("/invite/", 0, false, true),
    hook("/tokens/", 0, false, true),
    hook("/unsubscribe/", 0, false, true),
    hook("/ingest/", 0, false, true),
    hook("/calendar/ical/", 1, false, true),
    hook("mega.nz/file/", 0, false, true),
    hook("mega.nz/folder/", 0, false, true),
    hook("/owa/calendar/", 1, false, true),
    hook("/user/reset/", 2, false, true),
    hook("/shared_invite/", 0, false, true),
    hook("/build_hooks/", 0, false, true),
    hook("/integrations/deploy/", 1, false, false),
    hook(".make.com/", 0, false, true),
    hook("/api/mcp/s/", 0, false, true),
    hook("/ping/", 0, false, true),
    hook("/live2/", 0, false, true),
    hook("/accept/", 0, false, true),
    hook("rtmp://", 2, false, true),
    hook("rtmps://", 2, false, true),
    hook("gotify://", 1, false, false),
    hook("gotifys://", 1, false, false),
    hook("opsgenie://", 1, false, false),
    hook("loggly.com/bulk/", 0, false, false),
    hook("loggly.com/inputs/", 0, false, false),
];

pub(super) fn hook_path(text: Text<'_>, hook: &Hook, marker: usize) -> Option<Span> {
    let segment = |from: usize| {
        text.run(from, 300, |byte| {
            is_url_safe(byte) || matches!(byte, b'.' | b'@' | b'%' | b'=' | b'~' | b':')
        })
    };
    let mut start = marker + hook.marker.len();
    for _ in 0..hook.keep {
        start = segment(start) + 1;
    }
    let mut end = segment(start);
    let made = |start: usize, end: usize| {
        end >= start + 16 && value::is_key_like(text.slice(start..end), 16)
    };
    // `/confirm/10433/…`: an id comes first.
    if hook.judged && !made(start, end) && end > start && matches!(text.at(end), b'/' | b'#') {
        start = end + 1;
        end = segment(start);
    }
    if hook.judged && !made(start, end) {
        return None;
    }
    // `/hooks/id/…`: the id may look drawn, too.
    if hook.judged && text.at(end) == b'/' && made(end + 1, segment(end + 1)) {
        end = segment(end + 1);
    }
    if hook.rest {
        start = marker + hook.marker.trim_end_matches('T').len();
        end = text.run(start, 600, |byte| {
            is_url_safe(byte) || matches!(byte, b'.' | b'@' | b'%' | b'=' | b'/')
        });
    }
    while end > start && matches!(text.at(end - 1), b'.' | b'/' | b':') {
        end -= 1;
    }
    let found = text.slice(start..end);
    (end >= start + 6 && !value::is_placeholder(found)).then_some(start..end)
}
