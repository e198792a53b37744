//! The sink's section of the configuration.

use std::time::Duration;

use spate_runtime::config::{
    Ban, ConfigErrors, Key, Means, Refuses, Schema, Secret, Section, Type,
};

use crate::transport::url::Url;

/// The keys of a ClickHouse sink, beside those every sink has.
pub(crate) const SCHEMA: &Schema = &Schema {
    kind: "ClickHouse",
    keys: &[
        Key::new("url", Type::Text, "the server, as in `http://localhost:8123`")
            .means(Means::Where),
        Key::new(
            "shards",
            Type::List(&Type::List(&Type::Text)),
            "instead of `url`: for each shard the addresses of its replicas, as in [[a, b], [c]]",
        )
        .means(Means::Shards { by_partition: true }),
        Key::new("database", Type::Text, "the database of the table")
            .or("default")
            .means(Means::Where),
        Key::new("table", Type::Text, "the table rows are inserted into")
            .required()
            .means(Means::Place("table")),
        Key::new("user", Type::Text, "who inserts").or("default"),
        Key::new("password", Type::Text, "the user's password").secret(),
        Key::new("compression", Type::Choice(&["lz4", "none"]), "how bodies are compressed")
            .or("lz4"),
        Key::new("request_timeout", Type::Duration, "how long an insert may take, answer included")
            .or("60s")
            .at_least("100ms"),
        Key::new("connect_timeout", Type::Duration, "how long a connection may take to come about")
            .or("5s")
            .at_least("10ms"),
        Key::new("settings", Type::TextMap, "settings of the server, sent with every insert")
            .bans(RESERVED),
        Key::new(
            "delivery",
            Type::Choice(&["at_least_once", "at_most_once"]),
            "`at_most_once` admits `wait_for_async_insert: 0`: rows may be lost",
        )
        .or("at_least_once"),
        Key::new("ca_file", Type::Text, "certificates to trust instead of the system's, as PEM")
            .needs_feature("clickhouse-tls", cfg!(feature = "tls")),
    ],
};

/// What the section says, checked.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Shape `[shard][replica]`, never empty.
    pub(crate) shards: Vec<Vec<Url>>,
    pub(crate) database: String,
    pub(crate) table: String,
    pub(crate) user: String,
    pub(crate) password: Option<Secret>,
    pub(crate) compression: Compression,
    pub(crate) request_timeout: Duration,
    pub(crate) connect_timeout: Duration,
    /// The user's settings, then ours.
    pub(crate) settings: Vec<(String, String)>,
    pub(crate) async_insert: bool,
    #[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "read by the TLS connector"))]
    pub(crate) ca_file: Option<String>,
}

/// How bodies are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compression {
    Lz4,
    None,
}

/// Settings that are ours, and what a user may write there.
const RESERVED: &[Ban] = &[
    Ban {
        refuses: Refuses::AnyBut(&["1", "true"]),
        unless: Some(("delivery", "at_most_once")),
        code: "P062",
        help: "remove it, or write `delivery: at_most_once` beside `settings`",
        ..ours("wait_for_async_insert", "rows would be acknowledged before they are durable")
    },
    ours("insert_deduplication_token", "every batch carries its own token"),
    ours_but("insert_deduplicate", &["1"], "a retried batch is recognised by its token"),
    ours("decompress", "set `compression` instead"),
    ours("query", "the statement is made from the row"),
    ours("database", "set `database` beside `settings`"),
    ours("user", "set `user` beside `settings`"),
    ours("password", "set `password` beside `settings`"),
    ours_but("wait_end_of_query", &["1"], "an answer begins when the insert has ended"),
    ours_but("enable_http_compression", &["0"], "answers are read as they are"),
    ours_but("compress", &["0"], "answers are read as they are"),
];

const fn ours(name: &'static str, why: &'static str) -> Ban {
    let help = "remove it: this setting belongs to the sink";
    Ban { name, refuses: Refuses::Any, unless: None, code: "P059", why, help }
}

const fn ours_but(name: &'static str, values: &'static [&'static str], why: &'static str) -> Ban {
    Ban { refuses: Refuses::AnyBut(values), ..ours(name, why) }
}

impl Settings {
    pub(crate) fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        let mut errors = ConfigErrors::default();
        let shards = errors.collect(shards(section)).unwrap_or_default();
        let settings = errors.collect(user_settings(section)).unwrap_or_default();
        let async_insert = is_on(&settings, "async_insert");
        let database = errors.collect(name(section, "database"));
        let table = errors.collect(name(section, "table"));
        let user = errors.collect(header_text(section, "user", section.text("user")));
        let password = section.secret_opt("password");
        if let Some(password) = &password {
            let text = header_text(section, "password", password.reveal());
            drop(errors.collect(text));
        }
        let settings = Self {
            shards,
            database: database.unwrap_or_default(),
            table: table.unwrap_or_default(),
            user: user.unwrap_or_default(),
            password,
            compression: match section.text("compression") {
                "none" => Compression::None,
                _ => Compression::Lz4,
            },
            request_timeout: section.duration("request_timeout"),
            connect_timeout: section.duration("connect_timeout"),
            settings: with_ours(settings, async_insert),
            async_insert,
            ca_file: section.text_opt("ca_file").map(str::to_owned),
        };
        errors.or_ok(settings)
    }
}

fn shards(section: &Section<'_>) -> Result<Vec<Vec<Url>>, ConfigErrors> {
    let (key, texts) = match (section.text_opt("url"), section.is_set("shards")) {
        (Some(_), true) => {
            let text = "both `url` and `shards` say where the server is";
            return Err(section.error("url", "S010", text, "keep one of them"));
        }
        (Some(url), false) => ("url", vec![vec![url]]),
        (None, true) => ("shards", section.text_lists("shards")),
        (None, false) => {
            let text = format!("`{}` has no server", section.name());
            return Err(section.error("url", "S010", text, "add `url: http://host:8123`"));
        }
    };
    if texts.is_empty() || texts.iter().any(Vec::is_empty) {
        let help = "list the addresses of each shard's replicas, as in [[a, b], [c]]";
        return Err(section.error(key, "S010", "a shard has no replica", help));
    }
    let mut errors = ConfigErrors::default();
    let url = |text: &&str| match Url::parse(text) {
        Ok(url) if url.tls && !cfg!(feature = "tls") => {
            let text = "an `https://` address needs TLS, which is not compiled in";
            Err(section.error(key, "P060", text, "add the feature `clickhouse-tls` of spate"))
        }
        Ok(url) => Ok(url),
        Err(error) => {
            let help = "write `http://host:port`; user and password have keys of their own";
            Err(section.error(key, "S010", error.to_string(), help))
        }
    };
    let mut shards = Vec::new();
    for replicas in &texts {
        shards.push(
            replicas
                .iter()
                .filter_map(|text| errors.collect(url(text)))
                .collect(),
        );
    }
    errors.or_ok(shards)
}

/// A name of the server's, without what no name can hold.
fn name(section: &Section<'_>, key: &str) -> Result<String, ConfigErrors> {
    let text = section.text(key);
    if text.is_empty() || text.contains(['\0', '\n', '\r']) {
        let help = "write the plain name; it is quoted for you";
        return Err(section.error(key, "S010", format!("`{key}` is no name"), help));
    }
    Ok(text.to_owned())
}

/// A text that has to travel in a header: what HTTP cannot carry there is refused, not shown.
fn header_text(section: &Section<'_>, key: &str, text: &str) -> Result<String, ConfigErrors> {
    if text.bytes().any(|byte| byte.is_ascii_control()) {
        let text = format!("`{key}` contains control characters");
        return Err(section.error(key, "S010", text, "they cannot be sent in a header"));
    }
    Ok(text.to_owned())
}

fn user_settings(section: &Section<'_>) -> Result<Vec<(String, String)>, ConfigErrors> {
    let mut errors = ConfigErrors::default();
    let mut settings = Vec::new();
    for (name, value) in section.text_map("settings") {
        let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(valid) {
            let text = format!("`{name}` is no name of a setting");
            errors
                .0
                .extend(section.error("settings", "S010", text, "").0);
            continue;
        }
        settings.push((name.to_owned(), value.to_owned()));
    }
    errors.or_ok(settings)
}

/// What every insert carries, whatever the user's profile on the server says.
fn with_ours(mut settings: Vec<(String, String)>, async_insert: bool) -> Vec<(String, String)> {
    // The schema lets another value through with `delivery: at_most_once` only.
    let waits = settings
        .iter()
        .all(|(name, value)| name != "wait_for_async_insert" || is_true(value));
    let ours = [
        // R102: on by default in recent servers, and durable only if the insert waits.
        ("async_insert", if async_insert { "1" } else { "0" }),
        ("wait_for_async_insert", if waits { "1" } else { "0" }),
        ("insert_deduplicate", "1"),
        // The status line has to know how the insert ended (R096).
        ("wait_end_of_query", "1"),
        ("enable_http_compression", "0"),
    ];
    settings.retain(|(name, _)| ours.iter().all(|(our, _)| our != name));
    settings.extend(
        ours.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    );
    // R101: a view behind the table skips what the table skipped; an explicit choice stands.
    let views = "deduplicate_blocks_in_dependent_materialized_views";
    if settings.iter().all(|(name, _)| name != views) {
        settings.push((views.to_owned(), "1".to_owned()));
    }
    settings
}

fn is_on(settings: &[(String, String)], name: &str) -> bool {
    settings
        .iter()
        .any(|(known, value)| known == name && is_true(value))
}

fn is_true(value: &str) -> bool {
    matches!(value, "1" | "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(yaml: &str) -> Result<Settings, ConfigErrors> {
        Settings::from_section(&Section::for_test(SCHEMA, yaml)?)
    }

    #[track_caller]
    fn check_refused(yaml: &str, code: &str, part: &str) {
        let errors = read(yaml).unwrap_err();
        let text = errors.to_string();
        assert!(errors.0.iter().all(|error| error.code == code), "{text}");
        assert!(text.contains(part), "{text}");
    }

    #[test]
    fn a_url_is_a_shard_of_one_replica() {
        let settings = read("url: http://ch\ntable: t").unwrap();
        assert_eq!(settings.shards.len(), 1);
        assert_eq!(settings.shards[0][0].to_string(), "http://ch:8123");
        assert_eq!(settings.compression, Compression::Lz4);
        assert_eq!(settings.database, "default");
    }

    #[test]
    fn shards_have_replicas() {
        let settings =
            read("shards: [['http://a', 'http://b:1'], ['http://c']]\ntable: t\ncompression: none")
                .unwrap();
        let counts: Vec<usize> = settings.shards.iter().map(Vec::len).collect();
        assert_eq!(counts, [2, 1]);
        assert_eq!(settings.compression, Compression::None);
    }

    #[test]
    fn a_server_is_named_once() {
        check_refused("table: t", "S010", "has no server");
        check_refused("table: t\nurl: http://a\nshards: ['http://b']", "S010", "both");
        check_refused("table: t\nshards: [[]]", "S010", "no replica");
        check_refused("table: t\nurl: localhost:8123", "S010", "http://");
    }

    /// R102: every insert says whether it is asynchronous, and always waits.
    #[test]
    fn r102_inserts_wait_whatever_the_profile_says() {
        let has = |settings: &Settings, name: &str, value: &str| {
            let values: Vec<&str> = settings
                .settings
                .iter()
                .filter(|(known, _)| known == name)
                .map(|(_, value)| value.as_str())
                .collect();
            assert_eq!(values, [value], "{name}");
        };
        let settings = read("url: http://ch\ntable: t").unwrap();
        has(&settings, "async_insert", "0");
        has(&settings, "wait_for_async_insert", "1");
        let settings =
            read("url: http://ch\ntable: t\nsettings: {async_insert: 1, max_threads: 2}").unwrap();
        has(&settings, "async_insert", "1");
        has(&settings, "wait_for_async_insert", "1");
        has(&settings, "max_threads", "2");
        check_refused(
            "url: http://ch\ntable: t\nsettings: {wait_for_async_insert: 0}",
            "P062",
            "before they are durable",
        );
        let settings = read(
            "url: http://ch\ntable: t\ndelivery: at_most_once\n\
             settings: {async_insert: 1, wait_for_async_insert: 0}",
        );
        has(&settings.unwrap(), "wait_for_async_insert", "0");
    }

    #[test]
    fn settings_of_the_sink_are_its_own() {
        for (setting, code) in [
            ("insert_deduplication_token: x", "P059"),
            ("insert_deduplicate: 0", "P059"),
            ("'a b': 1", "S010"),
        ] {
            let yaml = format!("url: http://ch\ntable: t\nsettings: {{{setting}}}");
            check_refused(&yaml, code, "setting");
        }
    }

    #[cfg(not(feature = "tls"))]
    #[test]
    fn an_https_address_names_the_feature_it_needs() {
        check_refused("url: https://ch\ntable: t", "P060", "clickhouse-tls");
    }

    /// R134: neither errors nor `Debug` show a password.
    #[test]
    fn r134_a_password_is_never_shown() {
        let shown =
            format!("{:?}", read("url: http://ch\ntable: t\npassword: S3cr3t-zz9").unwrap());
        assert!(!shown.contains("S3cr3t"), "{shown}");
        let errors = read("url: http://ch\ntable: t\npassword: \"S3cr3t-\\u0001\"").unwrap_err();
        assert!(!errors.to_string().contains("S3cr3t"), "{errors}");
    }
}
