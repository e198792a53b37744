//! The address of a replica: `http://host:port/path`.

use std::fmt;

/// A parsed address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Url {
    pub(crate) tls: bool,
    /// A name or an address, without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Begins and ends with a slash.
    pub(crate) path: String,
}

/// Why a text is no address of a replica; says nothing of what it contains (R134).
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum UrlError {
    #[error("address does not begin with `http://` or `https://`")]
    Scheme,
    #[error("address contains a user or a password")]
    UserInfo,
    #[error("address contains a query or a fragment")]
    Query,
    #[error("address has no valid host or port")]
    Host,
}

impl Url {
    pub(crate) fn parse(text: &str) -> Result<Self, UrlError> {
        let (tls, rest) = match (text.strip_prefix("http://"), text.strip_prefix("https://")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return Err(UrlError::Scheme),
        };
        let (authority, path) = match rest.find(['/', '?', '#']) {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        if authority.contains('@') {
            return Err(UrlError::UserInfo);
        }
        if path.contains(['?', '#']) {
            return Err(UrlError::Query);
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => rest.split_once(']').ok_or(UrlError::Host)?,
            None => match authority.find(':') {
                Some(at) => authority.split_at(at),
                None => (authority, ""),
            },
        };
        let port = match port {
            "" if tls => 8443,
            "" => 8123,
            port => port
                .strip_prefix(':')
                .and_then(|port| port.parse().ok())
                .filter(|port| *port != 0)
                .ok_or(UrlError::Host)?,
        };
        let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '%');
        let path_valid = |c: char| c.is_ascii_graphic();
        if host.is_empty() || !host.chars().all(valid) || !path.chars().all(path_valid) {
            return Err(UrlError::Host);
        }
        let slash = if path.ends_with('/') { "" } else { "/" };
        Ok(Self { tls, host: host.to_owned(), port, path: format!("{path}{slash}") })
    }

    /// `host:port`, as the `Host` header has it.
    pub(crate) fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path.trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_their_defaults() {
        for (text, shown) in [
            ("http://ch", "http://ch:8123"),
            ("https://ch.example", "https://ch.example:8443"),
            ("http://127.0.0.1:18123/", "http://127.0.0.1:18123"),
            ("http://[::1]:9/proxy/ch", "http://[::1]:9/proxy/ch"),
            ("http://[::1]", "http://[::1]:8123"),
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!(url.to_string(), shown);
            assert!(url.path.starts_with('/') && url.path.ends_with('/'));
        }
    }

    /// R134: a password in an address is refused, and not repeated in the error.
    #[test]
    fn r134_a_password_in_an_address_is_refused_and_not_shown() {
        let error = Url::parse("http://me:S3cr3t-zz9@ch:8123").unwrap_err();
        assert_eq!(error, UrlError::UserInfo);
        assert!(!error.to_string().contains("S3cr3t"));
        for (text, error) in [
            ("ch:8123", UrlError::Scheme),
            ("tcp://ch:9000", UrlError::Scheme),
            ("http://", UrlError::Host),
            ("http://ch:", UrlError::Host),
            ("http://ch:99999", UrlError::Host),
            ("http://ch:8123?database=x", UrlError::Query),
            ("http://c h", UrlError::Host),
        ] {
            assert_eq!(Url::parse(text), Err(error), "{text}");
        }
    }
}
