//! The settings that must not be shown, and what masks them.

use fault::Secret;
use mask::Masker;
use url::Url;

use super::{SentryDsn, Settings, environment, providers};
use crate::token_file;

impl Settings {
    /// Masks every secret of this server, those that become known later too.
    pub fn masker(&self) -> Masker {
        Masker::new(self.known_secrets().iter().map(Secret::expose))
            .with_later(self.later_secrets.clone())
    }

    /// What servers with the same secrets have in common, and whoever reads their store does not
    /// know.
    pub fn cache_secret(&self) -> Secret {
        let known = self.secrets_of_research();
        let mut texts: Vec<&str> = known.iter().map(Secret::expose).collect();
        texts.sort_unstable();
        Secret::new(texts.join("\n"))
    }

    fn known_secrets(&self) -> Vec<Secret> {
        let mut known = self.secrets_of_research();
        known.extend(self.secrets_of_reporting());
        known.extend(self.plain_tokens());
        known
    }

    /// The keys of Sentry and of the collector of traces.
    fn secrets_of_reporting(&self) -> Vec<Secret> {
        let sentry = self.sentry_dsn.as_ref().map(SentryDsn::secrets);
        let headers = self.otlp_headers.iter().filter_map(|(name, value)| {
            let value = value.to_str().ok()?;
            environment::is_secret(name.as_str(), value).then_some(value)
        });
        // `Bearer KEY`: the key alone must not be shown either.
        let collector = headers
            .flat_map(|value| [Some(value), value.split_once(' ').map(|(_, key)| key)])
            .flatten()
            .map(|value| Secret::new(value.to_owned()));
        collector.chain(sentry.unwrap_or_default()).collect()
    }

    fn secrets_of_research(&self) -> Vec<Secret> {
        let provider_secrets = self.providers.values().flat_map(|own| {
            let extras = own.extras.iter();
            let secret = extras.filter(|(name, _)| providers::is_secret_extra(name));
            own.key.iter().chain(secret.map(|(_, value)| value))
        });
        let password = self
            .store_url
            .as_ref()
            .and_then(|url| Url::parse(url.expose()).ok()?.password().map(str::to_owned))
            .map(Secret::new);
        self.secrets
            .iter()
            .chain(&self.reader_key)
            .chain(&self.xai_key)
            .chain(&self.agent_key)
            .chain(&self.store_url)
            .chain(&password)
            .chain(self.proxy.iter().filter_map(net::OutboundProxy::secret))
            .chain(provider_secrets)
            .cloned()
            .collect()
    }

    /// Tokens that the operator wrote down as they are.
    fn plain_tokens(&self) -> Vec<Secret> {
        let path = self.tokens.as_deref();
        let entries = path.and_then(|path| token_file::read(path).ok());
        let entries = entries.unwrap_or_default();
        let plain = entries.iter().filter_map(|entry| entry.plain());
        plain.map(|token| Secret::new(token.to_owned())).collect()
    }
}
