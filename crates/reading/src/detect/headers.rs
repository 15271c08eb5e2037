//! What the response's headers say about a wall. Vendors set them for their own clients, so they
//! are the firmest evidence.

use super::evidence::Evidence;

/// What a header's value must be like, in lower case.
enum Value {
    Present,
    Is(&'static str),
    Contains(&'static str),
}

use Value::{Contains, Is, Present};

/// The headers that say something, each with its values and the evidence they are.
const HEADERS: &[(&str, &[(Value, Evidence)])] = &[
    (
        "cf-mitigated",
        &[(Contains("challenge"), Evidence::CloudflareChallengeHeader)],
    ),
    (
        "x-amzn-waf-action",
        &[
            (Is("captcha"), Evidence::AwsCaptchaHeader),
            (Is("challenge"), Evidence::AwsChallengeHeader),
        ],
    ),
    (
        "x-vercel-mitigated",
        &[(Contains("challenge"), Evidence::VercelChallengeHeader)],
    ),
    ("x-dd-b", &[(Present, Evidence::DataDomeBlockHeader)]),
    (
        "x-datadome",
        &[(Contains("protected"), Evidence::DataDomeHeader)],
    ),
    ("x-datadome-cid", &[(Present, Evidence::DataDomeHeader)]),
    ("x-kpsdk-ct", &[(Present, Evidence::KasadaHeader)]),
    ("x-sucuri-block", &[(Present, Evidence::SucuriBlockHeader)]),
    (
        "set-cookie",
        &[
            (Contains("datadome="), Evidence::DataDomeCookie),
            (Contains("_abck="), Evidence::AkamaiCookie),
            (Contains("incap_ses_"), Evidence::ImpervaCookie),
            (Contains("aws-waf-token="), Evidence::AwsCookie),
            (Contains("__ddg1_="), Evidence::DdosGuardCookie),
            (Contains("techaro.lol-anubis"), Evidence::AnubisCookie),
            (Contains("_pxhd="), Evidence::HumanCookie),
        ],
    ),
    (
        "server",
        &[
            (Contains("ddos-guard"), Evidence::DdosGuardServer),
            (Contains("sucuri"), Evidence::SucuriServer),
            (Contains("akamaighost"), Evidence::AkamaiServer),
            (Contains("datadome"), Evidence::DataDomeServer),
            (Contains("bigip"), Evidence::F5Server),
        ],
    ),
    ("x-iinfo", &[(Present, Evidence::ImpervaHeader)]),
];

impl Value {
    fn fits(&self, value: &str) -> bool {
        match self {
            Present => !value.is_empty(),
            Is(wanted) => value == *wanted,
            Contains(wanted) => value.contains(wanted),
        }
    }
}

/// The evidence in the headers of an answer, each piece once.
pub(super) fn evidence(header: &dyn Fn(&str) -> Option<String>) -> Vec<Evidence> {
    let mut found = Vec::new();
    for (name, values) in HEADERS {
        let Some(value) = header(name).map(|value| value.to_ascii_lowercase()) else {
            continue;
        };
        for (wanted, evidence) in *values {
            if wanted.fits(&value) && !found.contains(evidence) {
                found.push(*evidence);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_headers_of_one_vendor_are_one_piece_of_evidence() {
        let header = |name: &str| match name {
            "x-datadome" => Some("Protected".to_owned()),
            "x-datadome-cid" => Some("a1".to_owned()),
            _ => None,
        };
        assert_eq!(evidence(&header), [Evidence::DataDomeHeader]);
    }
}
