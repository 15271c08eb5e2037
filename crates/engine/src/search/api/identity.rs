//! Who is calling, for the services that ask: the name of this program and a way to reach its
//! operator.
//!
//! Wikimedia's User-Agent policy asks for `<client>/<version> (<contact>)` and for the word `bot`;
//! it refuses or slows down callers without a contact. Crossref, OpenAlex and NCBI take a mail
//! address as a parameter. There is no default contact: only the operator has an address.

use fault::SettingName;
use http::HeaderValue;

use crate::search::provider::variable;

/// The setting for the contact, as faults name it.
pub(crate) const CONTACT: SettingName = SettingName::new(variable!("fingerpost-contact"));

/// How this program names itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    agent: HeaderValue,
    contact: Option<String>,
}

impl Default for Identity {
    fn default() -> Identity {
        Identity::new(net::ClientSettings::default().user_agent, None)
    }
}

impl Identity {
    /// The User-Agent header of page requests, and a mail or web address of the operator.
    pub fn new(agent: HeaderValue, contact: Option<String>) -> Identity {
        Identity { agent, contact }
    }

    pub(crate) fn has_contact(&self) -> bool {
        self.contact.is_some() || self.agent.to_str().is_ok_and(|agent| agent.contains('@'))
    }

    /// The contact, where it is a mail address.
    pub(crate) fn mail(&self) -> Option<&str> {
        let contact = self.contact.as_deref()?;
        (contact.contains('@') && !contact.contains('/')).then_some(contact)
    }

    /// The User-Agent header with the contact in it.
    pub(crate) fn agent(&self) -> HeaderValue {
        let agent = self.agent.to_str().unwrap_or("fingerpost");
        let whole = match self.contact.as_deref() {
            Some(contact) if !agent.contains(contact) => format!("{agent} (bot; {contact})"),
            None if !agent.contains('(') => format!("{agent} (bot; web research for AI agents)"),
            _ => agent.to_owned(),
        };
        HeaderValue::from_str(&whole).unwrap_or_else(|_| self.agent.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(agent: &'static str, contact: Option<&str>) -> Identity {
        Identity::new(HeaderValue::from_static(agent), contact.map(str::to_owned))
    }

    #[test]
    fn the_agent_has_the_form_that_wikimedia_asks_for() {
        for (agent, contact, whole) in [
            (
                "fingerpost/1.0",
                Some("me@a.example"),
                "fingerpost/1.0 (bot; me@a.example)",
            ),
            (
                "fingerpost/1.0",
                None,
                "fingerpost/1.0 (bot; web research for AI agents)",
            ),
            (
                "mine/2 (+https://a.example)",
                None,
                "mine/2 (+https://a.example)",
            ),
            (
                "mine/2 (me@a.example)",
                Some("me@a.example"),
                "mine/2 (me@a.example)",
            ),
        ] {
            assert_eq!(identity(agent, contact).agent(), whole);
        }
    }

    #[test]
    fn only_a_mail_address_is_sent_as_one() {
        let mail = |contact| identity("a/1", Some(contact)).mail().map(str::to_owned);
        assert_eq!(mail("me@a.example").as_deref(), Some("me@a.example"));
        assert_eq!(mail("https://a.example/@me"), None);
        assert_eq!(identity("a/1", None).mail(), None);
    }
}
