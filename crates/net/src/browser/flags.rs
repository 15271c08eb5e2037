//! The browser's command line: no network access except through each page's proxy.

use std::ffi::OsString;
use std::path::Path;

/// Where two flags have the same effect, older and newer versions each know one of them.
const FLAGS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    // Each page's context has a proxy of its own. Anything outside of a context gets this one,
    // which does not exist, and no name is resolved except the proxies' address. Loopback uses the
    // proxy too.
    "--proxy-server=http://closed.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    // No requests of the browser's own.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-sync",
    "--disable-breakpad",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--no-service-autorun",
    "--no-startup-window",
    "--dns-prefetch-disable",
    "--disable-features=AutofillServerCommunication,BackForwardCache,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,DnsOverHttps,GlobalMediaControls,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,InterestFeedContentSuggestions,MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,Prerender2,SpareRendererForSitePerProcess,Translate,WebRtcHideLocalIpsWithMdns",
    // Nothing that reading text does not need.
    "--blink-settings=imagesEnabled=false",
    "--autoplay-policy=user-gesture-required",
    "--deny-permission-prompts",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-prompt-on-repost",
    "--disable-speech-api",
    "--hide-scrollbars",
    "--mute-audio",
    // Suits a small machine or container: little shared memory, a bounded heap, no key ring.
    "--disable-dev-shm-usage",
    "--js-flags=--max-old-space-size=512",
    "--password-store=basic",
    "--use-mock-keychain",
    // The same page wherever the server runs.
    "--lang=en-US",
    "--window-size=1280,2000",
];

pub(super) fn flags(profile: &Path, sandboxed: bool) -> Vec<OsString> {
    let mut flags: Vec<OsString> = FLAGS.iter().map(OsString::from).collect();
    let mut own = OsString::from("--user-data-dir=");
    own.push(profile);
    flags.push(own);
    if !sandboxed {
        flags.push("--no-sandbox".into());
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_is_only_turned_off_on_request() {
        let off = |sandboxed| {
            flags(Path::new("/p"), sandboxed)
                .iter()
                .any(|flag| flag == "--no-sandbox")
        };
        assert!(off(false));
        assert!(!off(true));
    }
}
