//! Keys that are recognised by their shape: a fixed prefix, an alphabet and a length.
//!
//! One row per shape. A prefix alone never counts: the body must be long enough, and the key must
//! not start in the middle of a word. Lengths are shorter than the real ones where a provider has
//! changed them before.

use super::escape::ends_with_colour;
use super::text::{
    Span, Text, is_alphanumeric, is_ascii_word, is_base64, is_base64_any, is_hex,
    is_upper_or_digit, is_url_safe,
};

/// The characters in the body of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// `0-9a-f`
    Hex,
    /// Letters and digits.
    Plain,
    /// Uppercase letters and digits.
    Capitals,
    /// Letters, digits, `-`, `_`.
    UrlSafe,
    /// As `UrlSafe`, with dots in between.
    Dotted,
    /// Standard base64 with padding.
    Base64,
    /// Either base64 alphabet, dots and colons, for tokens that wrap other tokens.
    Wide,
    /// Letters, digits and percent escapes.
    Escaped,
}

impl Body {
    fn holds(self, byte: u8) -> bool {
        match self {
            Body::Hex => is_hex(byte),
            Body::Plain => is_alphanumeric(byte),
            Body::Capitals => is_upper_or_digit(byte),
            Body::UrlSafe => is_url_safe(byte),
            Body::Dotted => is_url_safe(byte) || byte == b'.',
            Body::Base64 => is_base64(byte),
            Body::Escaped => is_alphanumeric(byte) || byte == b'%',
            Body::Wide => is_base64_any(byte) || matches!(byte, b'.' | b':' | b'$' | b'~'),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) prefix: &'static str,
    body: Body,
    shortest: usize,
    /// Zero means no upper limit. Otherwise the body must end there, so that longer words are not
    /// truncated.
    longest: usize,
    /// Whether the body must look generated, because a body of words (`sk-learn-contrib-…`) is not
    /// a key.
    digit: bool,
}

const fn shape(prefix: &'static str, body: Body, shortest: usize) -> Shape {
    Shape {
        prefix,
        body,
        shortest,
        longest: 0,
        digit: true,
    }
}

const fn fixed(prefix: &'static str, body: Body, shortest: usize, longest: usize) -> Shape {
    Shape {
        prefix,
        body,
        shortest,
        longest,
        digit: false,
    }
}

use Body::{Base64, Capitals, Dotted, Escaped, Hex, Plain, UrlSafe, Wide};

/// Grouped by field, and by provider within a group.
pub(super) const SHAPES: &[Shape] = &[
    // Language models and their tools
    shape("sk-", UrlSafe, 20),
    shape("xai-", UrlSafe, 20),
    shape("gsk_", Plain, 20),
    shape("pplx-", UrlSafe, 20),
    shape("r8_", Plain, 30),
    shape("hf_", Plain, 20),
    shape("api_org_", Plain, 20),
    shape("tvly-", UrlSafe, 16),
    shape("fc-", Hex, 24),
    shape("jina_", UrlSafe, 30),
    shape("nvapi-", UrlSafe, 30),
    shape("csk-", Plain, 30),
    shape("fw_", Plain, 20),
    shape("tgp_v1_", UrlSafe, 20),
    shape("pcsk_", UrlSafe, 30),
    shape("lsv2_", UrlSafe, 30),
    shape("ls__", Plain, 24),
    shape("BSA", UrlSafe, 20),
    shape("rpa_", Plain, 30),
    shape("e2b_", Plain, 30),
    shape("ctx7sk-", UrlSafe, 20),
    shape("apify_api_", Plain, 20),
    shape("wandb_v1_", UrlSafe, 30),
    shape("KGAT_", Plain, 20),
    shape("esecret_", Plain, 20),
    shape("bb_live_", UrlSafe, 16),
    shape("phx_", UrlSafe, 30),
    shape("phs_", UrlSafe, 30),
    shape("phr_", UrlSafe, 30),
    shape("pha_", UrlSafe, 30),
    shape("llx-", UrlSafe, 30),
    // Google
    fixed("AIza", UrlSafe, 30, 0),
    shape("ya29.", Wide, 20),
    shape("GOCSPX-", UrlSafe, 20),
    shape("1//0", UrlSafe, 20),
    shape("AQ.Ab", UrlSafe, 30),
    // Amazon, Yandex. The ids of keys (`AKIA…`, `LTAI…`) open nothing without their secrets.
    shape("ABSK", Base64, 40),
    shape("amzn.mws.", UrlSafe, 32),
    shape("AQVN", UrlSafe, 30),
    shape("y0_", UrlSafe, 40),
    shape("t1.9eue", Dotted, 60),
    shape("akab-", UrlSafe, 20),
    // Code hosts
    shape("BBDC-", Base64, 30),
    shape("slk_", Plain, 40),
    shape("odt_", UrlSafe, 30),
    shape("oauth:", Plain, 30),
    shape("ghp_", Dotted, 20),
    shape("gho_", Dotted, 20),
    shape("ghu_", Dotted, 20),
    shape("ghs_", Dotted, 20),
    shape("ghr_", Dotted, 20),
    shape("github_pat_", UrlSafe, 20),
    shape("glpat-", Dotted, 16),
    shape("gldt-", UrlSafe, 16),
    shape("glft-", UrlSafe, 16),
    shape("glsoat-", UrlSafe, 16),
    shape("glrt-", Dotted, 16),
    shape("glrtr-", Dotted, 16),
    shape("glptt-", UrlSafe, 16),
    shape("glcbt-", UrlSafe, 16),
    shape("glimt-", UrlSafe, 16),
    shape("glagent-", UrlSafe, 16),
    shape("glffct-", UrlSafe, 16),
    shape("gloas-", UrlSafe, 16),
    shape("glwt-", UrlSafe, 16),
    shape("GR1348941", UrlSafe, 16),
    shape("ATATT3", Wide, 30),
    shape("ATCTT3", Wide, 30),
    shape("ATBB", Plain, 24),
    shape("sgp_", UrlSafe, 30),
    // Chat
    shape("xoxb-", UrlSafe, 12),
    shape("xoxp-", UrlSafe, 12),
    shape("xoxa-", UrlSafe, 12),
    shape("xoxr-", UrlSafe, 12),
    shape("xoxs-", UrlSafe, 12),
    shape("xoxo-", UrlSafe, 12),
    shape("xoxc-", UrlSafe, 12),
    shape("xoxd-", Wide, 12),
    shape("xoxe-", UrlSafe, 12),
    shape("xoxe.xox", UrlSafe, 12),
    shape("xapp-", UrlSafe, 12),
    shape("xwfp-", UrlSafe, 12),
    fixed("mfa.", UrlSafe, 60, 0),
    // Payment and commerce
    shape("sk_live_", Plain, 10),
    shape("sk_test_", Plain, 10),
    shape("sk_prod_", Plain, 10),
    shape("sk_sbox_", UrlSafe, 10),
    shape("sk_", UrlSafe, 30),
    shape("rk_live_", Plain, 10),
    shape("rk_test_", Plain, 10),
    shape("whsec_", Base64, 16),
    shape("rzp_live_", Plain, 12),
    shape("rzp_test_", Plain, 12),
    shape("sq0atp-", UrlSafe, 16),
    shape("sq0csp-", UrlSafe, 30),
    shape("EAAA", UrlSafe, 40),
    shape("EAA", Plain, 60),
    shape("access_token$", Wide, 30),
    shape("access-sandbox-", UrlSafe, 30),
    shape("access-production-", UrlSafe, 30),
    shape("access-development-", UrlSafe, 30),
    shape("shpat_", Plain, 24),
    shape("shpca_", Plain, 24),
    shape("shppa_", Plain, 24),
    shape("shpss_", Plain, 24),
    shape("shptka_", Plain, 24),
    shape("APP_USR-", UrlSafe, 30),
    shape("FLWSECK", UrlSafe, 20),
    shape("EZAK", Plain, 40),
    shape("EZTK", Plain, 40),
    shape("shippo_live_", Plain, 30),
    shape("shippo_test_", Plain, 30),
    shape("duffel_live_", UrlSafe, 30),
    shape("duffel_test_", UrlSafe, 30),
    shape("cal_live_", Plain, 20),
    shape("skapi_", UrlSafe, 24),
    shape("ak_live_", Plain, 20),
    shape("ak_test_", Plain, 20),
    // Mail and messages
    shape("IGQV", UrlSafe, 80),
    shape("IGAA", Plain, 80),
    shape("tkn.v1_", Wide, 40),
    shape("dG9rO", Base64, 40),
    shape("SG.", Dotted, 30),
    shape("key-", Hex, 28),
    shape("xkeysib-", UrlSafe, 30),
    shape("xsmtpsib-", UrlSafe, 30),
    shape("re_", UrlSafe, 24),
    shape("pat-na1-", UrlSafe, 30),
    shape("pat-eu1-", UrlSafe, 30),
    shape("PMAK-", UrlSafe, 30),
    shape("PMAT-", Plain, 20),
    // Packages and containers
    shape("npm_", Plain, 24),
    shape("pypi-AgEI", UrlSafe, 30),
    shape("pypi-", UrlSafe, 60),
    shape("dckr_pat_", UrlSafe, 16),
    shape("dckr_oat_", UrlSafe, 16),
    shape("rubygems_", Plain, 30),
    fixed("cio", Plain, 32, 32),
    shape("oy2", Plain, 40),
    shape("CLOJARS_", Plain, 40),
    shape("AKCp", Plain, 50),
    shape("cmVmd", Plain, 50),
    // Clouds, databases, infrastructure
    shape("dop_v1_", Plain, 40),
    shape("doo_v1_", Plain, 40),
    shape("dor_v1_", Plain, 40),
    shape("dapi", Hex, 28),
    shape("dkea", Hex, 32),
    shape("dp.pt.", Plain, 30),
    shape("dp.st.", Dotted, 30),
    shape("dp.ct.", Plain, 30),
    shape("dp.sa.", Plain, 30),
    shape("dp.scim.", Plain, 30),
    shape("dp.audit.", Plain, 30),
    shape("hvs.", UrlSafe, 20),
    shape("hvb.", UrlSafe, 20),
    shape("hvr.", UrlSafe, 20),
    shape("sbp_", Plain, 30),
    shape("sb_secret_", UrlSafe, 16),
    shape("pscale_tkn_", Dotted, 24),
    shape("pscale_pw_", Dotted, 24),
    shape("pscale_oauth_", Dotted, 24),
    shape("napi_", Plain, 30),
    shape("pul-", Hex, 30),
    shape("tskey-", UrlSafe, 16),
    shape("fo1_", UrlSafe, 30),
    shape("fm1_", Wide, 40),
    shape("fm2_", Wide, 40),
    shape("rnd_", Plain, 24),
    shape("vcp_", Plain, 24),
    shape("vci_", Plain, 24),
    shape("vca_", Plain, 24),
    shape("vcr_", Plain, 24),
    shape("vck_", Plain, 24),
    shape("da2-", Plain, 24),
    shape("k2sk_v1_", Plain, 20),
    shape("v1.0-", UrlSafe, 120),
    shape("cfut_", UrlSafe, 30),
    shape("cfat_", UrlSafe, 30),
    shape("cfk_", UrlSafe, 30),
    shape("dnkey-", UrlSafe, 40),
    shape("cosmo_", Plain, 30),
    shape("ion_", UrlSafe, 36),
    shape("mdb_sa_sk_", UrlSafe, 30),
    shape("sbp_v0_", Plain, 30),
    shape("SWMKEY-", UrlSafe, 36),
    fixed("SUA", Capitals, 55, 55),
    fixed("SAA", Capitals, 55, 55),
    fixed("SOA", Capitals, 55, 55),
    shape("HRKU-", UrlSafe, 30),
    shape("ops_eyJ", Wide, 40),
    shape("pnu_", Plain, 30),
    shape("4b1d", Plain, 38),
    shape("T3BlbkFJ", UrlSafe, 16),
    // Monitoring
    shape("sntrys_", Wide, 20),
    shape("sntryu_", Plain, 30),
    shape("sntryi_", Plain, 30),
    shape("glsa_", UrlSafe, 28),
    shape("glc_", Base64, 28),
    shape("NRAK-", Plain, 20),
    shape("NRAL-", Plain, 20),
    shape("NRJS-", Hex, 16),
    shape("NRII-", UrlSafe, 20),
    shape("NRRA-", Plain, 30),
    shape("NRBR-", Hex, 16),
    shape("NRAA-", Plain, 24),
    shape("NRIQ-", UrlSafe, 28),
    shape("NRSP-", Plain, 28),
    shape("eyJrIjoi", UrlSafe, 36),
    shape("dt0c01.", Dotted, 60),
    shape("squ_", Plain, 30),
    shape("sqp_", Plain, 30),
    shape("sqa_", Plain, 30),
    shape("ddapi_", Plain, 20),
    shape("hcaik_", Plain, 40),
    shape("hcxik_", Plain, 40),
    shape("sdk-", UrlSafe, 36),
    shape("ico-", Plain, 32),
    // Work and design
    shape("ntn_", Plain, 30),
    shape("secret_", Plain, 36),
    shape("lin_api_", Plain, 24),
    shape("lin_oauth_", Plain, 24),
    shape("figd_", UrlSafe, 24),
    shape("figo_", UrlSafe, 24),
    shape("CFPAT-", UrlSafe, 30),
    shape("tfp_", UrlSafe, 40),
    shape("rdme_", Plain, 40),
    shape("fio-u-", UrlSafe, 40),
    shape("p8e-", Plain, 30),
    shape("sl.", UrlSafe, 100),
    shape("sl.u.", UrlSafe, 60),
    shape("sk.eyJ", Dotted, 40),
    shape("ES_", Plain, 30),
    shape("WPL_AP1.", Wide, 16),
    shape("AAAAAAAAAAAAAAAAAAAAA", Escaped, 70),
    shape("1000.", Dotted, 64),
    shape("EAACEdEose0cBA", Plain, 20),
    shape("gAAAAA", UrlSafe, 60),
    shape("aio_", Plain, 24),
    shape("rootly_", Hex, 40),
    shape("s-s4t2ud-", Plain, 40),
    shape("CCIPAT_", UrlSafe, 30),
    shape("CCIPRJ_", UrlSafe, 30),
    shape("bkua_", Plain, 30),
    shape("bkpt_", UrlSafe, 30),
    shape("nfp_", Plain, 30),
    shape("sha256~", UrlSafe, 36),
    shape("xaat-", UrlSafe, 30),
    shape("xapt-", UrlSafe, 30),
    shape("ATTA", Plain, 60),
    shape("ddp_", Plain, 30),
    shape("ddw_", Plain, 30),
    shape("vtwn_", Plain, 24),
    shape("VF.DM.", Dotted, 30),
    shape("VF.WS.", Dotted, 30),
    shape("BBFF-", Plain, 28),
    shape("sm_aat_", Plain, 12),
    shape("zpka_", UrlSafe, 30),
    shape("endr+", Plain, 12),
    shape("spu-", Hex, 30),
    shape("retool_", Plain, 20),
    shape("samsara_api_", Plain, 20),
    shape("persona_production_", UrlSafe, 20),
    shape("persona_sandbox_", UrlSafe, 20),
    shape("unkey_", Plain, 20),
    shape("p.eyJ", Wide, 40),
    shape("tk-us-", UrlSafe, 40),
    shape("ctp_", Plain, 30),
    shape("snyk_", Plain, 30),
    shape("live_", UrlSafe, 32),
    shape("mob-", UrlSafe, 36),
    shape("api-", UrlSafe, 36),
    shape("pri_", Hex, 30),
    shape("rk_prod_", Plain, 10),
    shape("API-", Capitals, 24),
    shape("pat.", Dotted, 50),
    shape("secret-", Plain, 36),
    shape("NF-", Plain, 30),
    shape("vercel_blob_rw_", UrlSafe, 20),
    shape("SWMTKN-", UrlSafe, 40),
    // Cryptography
    shape("LS0tLS1CRUdJTiBQUklWQVRF", Base64, 40),
    shape("LS0tLS1CRUdJTiBSU0EgUFJJ", Base64, 40),
    shape("LS0tLS1CRUdJTiBFQyBQUklW", Base64, 40),
    shape("LS0tLS1CRUdJTiBEU0EgUFJJ", Base64, 40),
    shape("LS0tLS1CRUdJTiBPUEVOU1NI", Base64, 40),
    shape("LS0tLS1CRUdJTiBFTkNSWVBU", Base64, 40),
    shape("LS0tLS1CRUdJTiBQR1AgUFJJ", Base64, 40),
    shape("TlRMTVNTUAAD", Base64, 60),
    shape("AGE-SECRET-KEY-1", Capitals, 40),
    shape("v1.local.", Dotted, 60),
    shape("v2.local.", Dotted, 60),
    shape("v3.local.", Dotted, 60),
    shape("v4.local.", Dotted, 60),
    shape("v2.public.", Dotted, 60),
    shape("v4.public.", Dotted, 60),
    // Nostr, CouchDB.
    shape("nsec1", Plain, 50),
    shape("-pbkdf2-", Hex, 32),
    shape("AGE-PLUGIN-", UrlSafe, 40),
    shape("doIF", Base64, 60),
    shape("grub.pbkdf2.", Dotted, 60),
    shape("edsk", Plain, 50),
    shape("AgEDbG5k", UrlSafe, 60),
    fixed("md-", UrlSafe, 22, 22),
    fixed("xprv", Plain, 100, 112),
];

/// The key at `start`, where its prefix was found. The error is the position before which no key
/// can start, so that a long run is not read again for every prefix inside it.
pub(super) fn at(text: Text<'_>, shape: &Shape, start: usize) -> Result<Span, usize> {
    if is_ascii_word(text.before(start)) && !follows_escape(text, start) {
        return Err(start);
    }
    let body = start + shape.prefix.len();
    // A body that does not look generated at its start is rejected, however long it is: hostile
    // text is full of such starts.
    let near = text.run(body, super::value::EXAMINED, |byte| shape.body.holds(byte));
    if shape.digit && near - body >= shape.shortest && !looks_made(&text.bytes[body..near]) {
        return Err(if near - body == super::value::EXAMINED {
            near
        } else {
            start
        });
    }
    let mut end = text.run(near, usize::MAX, |byte| shape.body.holds(byte));
    while end > body && matches!(text.at(end - 1), b'.' | b'-' | b':' | b'~') {
        end -= 1;
    }
    let length = end - body;
    if is_filler(&text.bytes[body..end]) {
        return Err(start);
    }
    let fits = length >= shape.shortest && (shape.longest == 0 || length <= shape.longest);
    let whole = shape.longest == 0 || !is_ascii_word(text.at(end));
    if fits && whole && (!shape.digit || looks_made(&text.bytes[body..end])) {
        return Ok(start..end);
    }
    Err(if length > LONGEST_REREAD { end } else { start })
}

const LONGEST_REREAD: usize = 512;

/// Whether the letter before is part of an escape sequence and not of the key: `\nghp_…`, the `m`
/// that ends a colour code.
pub(super) fn follows_escape(text: Text<'_>, start: usize) -> bool {
    if text.before(start) == b'm' {
        return ends_with_colour(&text.bytes[..start]);
    }
    start >= 2 && matches!(text.at(start - 1), b'n' | b'r' | b't') && text.bytes[start - 2] == b'\\'
        || start >= 3
            && text.bytes[start - 3] == b'%'
            && is_hex(text.at(start - 2))
            && is_hex(text.at(start - 1))
}

/// Whether one character stands for all: `ghp_xxxxxxxxxxxx`.
fn is_filler(body: &[u8]) -> bool {
    let Some(first) = body.first() else {
        return false;
    };
    body.len() >= 8 && body.iter().all(|byte| byte == first)
}

/// Whether a body looks generated: keys mix letters with digits or lowercase with uppercase, and
/// not word by word.
fn looks_made(body: &[u8]) -> bool {
    let body = &body[..body.len().min(super::value::EXAMINED)];
    let longest_made = body
        .split(|byte| !is_alphanumeric(*byte))
        .filter(|run| run.iter().any(u8::is_ascii_digit) || mixed_case(run))
        .map(<[u8]>::len)
        .max()
        .unwrap_or(0);
    longest_made >= 6
}

fn mixed_case(run: &[u8]) -> bool {
    run.windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count()
        >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_unique_and_legal() {
        let mut seen = std::collections::BTreeSet::new();
        for shape in SHAPES {
            assert!(
                seen.insert(shape.prefix),
                "{} is listed twice",
                shape.prefix
            );
            assert!(
                shape.prefix.is_ascii() && shape.prefix.len() >= 2,
                "{}",
                shape.prefix
            );
        }
    }
}
