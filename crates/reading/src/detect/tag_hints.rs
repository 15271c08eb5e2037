//! What a tag's name and attributes say about it: which part of the page it is, whether it is
//! shown, and what the site calls it.

use super::page::Zone;
use super::scan::attributes;

/// What a tag's attributes say about its element.
#[derive(Default)]
pub(super) struct TagHints {
    pub(super) hidden: bool,
    /// Navigation, header, footer or sidebar.
    chrome: bool,
    overlay: bool,
    consent: bool,
    /// A node that scripts fill.
    pub(super) mount: bool,
    /// The class of an error page.
    pub(super) error: bool,
    pub(super) paywall: bool,
    pub(super) captcha: bool,
    pub(super) turnstile: bool,
}

impl TagHints {
    pub(super) fn new(tag: &str, written: &str) -> TagHints {
        let mut hints = TagHints::default();
        if written.len() < 3 {
            hints.mount = is_app_tag(tag);
            return hints;
        }
        let mut is_invisible = false;
        for (name, value) in attributes(written) {
            let name = name.to_ascii_lowercase();
            match name.as_str() {
                "hidden" => hints.hidden |= value != "until-found",
                "style" => hints.read_style(value),
                "role" => hints.read_role(value),
                "class" | "id" => hints.read_names(&name, &start_of(value).to_ascii_lowercase()),
                "data-size" => is_invisible |= value.eq_ignore_ascii_case("invisible"),
                "data-reactroot" | "ng-app" | "data-server-rendered" => hints.mount = true,
                _ => {}
            }
        }
        hints.mount |= is_app_tag(tag);
        hints.captcha &= !is_invisible;
        hints
    }

    fn read_style(&mut self, value: &str) {
        let dense: String = start_of(value)
            .chars()
            .filter(|c| !c.is_whitespace())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        // `visibility:hidden` does not count: pages hide their whole text with it until their style
        // sheets have loaded.
        self.hidden |= dense.contains("display:none");
    }

    fn read_role(&mut self, value: &str) {
        match value.to_ascii_lowercase().as_str() {
            "navigation" | "banner" | "contentinfo" | "complementary" | "search" => {
                self.chrome = true
            }
            "dialog" | "alertdialog" => self.overlay = true,
            _ => {}
        }
    }

    fn read_names(&mut self, attribute: &str, value: &str) {
        let has = |words: &[&str]| words.iter().any(|word| value.contains(word));
        for token in value.split_ascii_whitespace() {
            self.hidden |= matches!(
                token,
                "hidden"
                    | "d-none"
                    | "sr-only"
                    | "visually-hidden"
                    | "screen-reader-text"
                    | "is-hidden"
                    | "hide"
            );
            self.mount |= attribute == "id" && MOUNTS.contains(&token);
            self.error |= ERROR_CLASSES.contains(&token);
            self.turnstile |= token == "cf-turnstile";
            self.captcha |= matches!(
                token,
                "g-recaptcha" | "h-captcha" | "frc-captcha" | "smart-captcha"
            );
        }
        self.consent |= has(CONSENT_CLASSES);
        self.overlay |= has(OVERLAY_CLASSES);
        self.chrome |= has(CHROME_CLASSES);
        self.paywall |= has(PAYWALL_CLASSES);
    }

    pub(super) fn zone(&self, tag: &str, in_content: bool) -> Zone {
        let whole = matches!(tag, "html" | "body" | "main" | "article" | "form");
        match tag {
            _ if self.hidden && !matches!(tag, "html" | "body") => Zone::Hidden,
            "template" | "svg" | "datalist" => Zone::Hidden,
            _ if self.consent && !whole => Zone::Consent,
            "dialog" => Zone::Overlay,
            _ if self.overlay && !self.paywall && !whole => Zone::Overlay,
            "nav" | "footer" | "aside" | "select" | "menu" => Zone::Chrome,
            "header" if !in_content => Zone::Chrome,
            _ if self.chrome && !whole => Zone::Chrome,
            _ => Zone::Main,
        }
    }
}

/// Ids of the nodes that common frameworks fill.
const MOUNTS: &[&str] = &[
    "root",
    "app",
    "__next",
    "__nuxt",
    "___gatsby",
    "react-root",
    "app-root",
    "application",
    "main-app",
    "q-app",
    "svelte",
    "mount",
    "container-root",
    "ember-app",
    "reactroot",
    "react-app",
    "vue-app",
    "spa",
    "app-mount",
    "app-container",
    "webapp",
    "approot",
    "root-container",
    "appcontainer",
    "single-spa",
];

/// Elements that common frameworks fill; of some only the beginning of the name is fixed.
fn is_app_tag(tag: &str) -> bool {
    matches!(
        tag,
        "app-root" | "my-app" | "ng-app" | "ion-app" | "app-main" | "shop-app"
    ) || ["app-shel", "polymer-", "flutter-"]
        .iter()
        .any(|start| tag.starts_with(start))
}

const ERROR_CLASSES: &[&str] = &[
    "error404",
    "error-404",
    "page-404",
    "page404",
    "not-found",
    "notfound",
    "page-not-found",
    "error-page-404",
    "template-404",
    "pagenotfound",
    "status-404",
    "http-404",
    "noarticletext",
];
const CONSENT_CLASSES: &[&str] = &[
    "cookie",
    "consent",
    "gdpr",
    "rgpd",
    "onetrust",
    "didomi",
    "usercentrics",
    "sp_message",
    "cmpbox",
    "qc-cmp",
    "truste",
    "cybot",
    "privacy-wall",
    "tarteaucitron",
    "axeptio",
    "iubenda",
];
const OVERLAY_CLASSES: &[&str] = &[
    "modal",
    "popup",
    "pop-up",
    "overlay",
    "dialog",
    "drawer",
    "offcanvas",
    "lightbox",
    "dropdown",
];
const CHROME_CLASSES: &[&str] = &[
    "navbar",
    "nav-",
    "-nav",
    "navigation",
    "menu",
    "footer",
    "sidebar",
    "breadcrumb",
    "related",
    "recommend",
    "popular",
    "trending",
    "newsletter",
    "topbar",
    "site-header",
    "masthead",
    "share-",
    "social",
];
const PAYWALL_CLASSES: &[&str] = &[
    "paywall",
    "regwall",
    "pay-wall",
    "tp-modal",
    "tinypass",
    "piano-",
    "poool",
    "zephr",
    "subscriber-only",
    "premium-wall",
    "article-gate",
    "subscription-wall",
    "plus-wall",
    "payment-wall",
    "barrier",
];

/// The part of a value that is looked at. Longer ones are no names, and each character costs a
/// comparison with every word of the tables.
fn start_of(value: &str) -> &str {
    value
        .char_indices()
        .nth(600)
        .map_or(value, |(at, _)| &value[..at])
}
