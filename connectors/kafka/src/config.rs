//! The section of a Kafka source: its schema, its settings, what they mean to librdkafka.

use std::time::Duration;

use spate_runtime::config::{
    Ban, ConfigErrors, Key, Means, Refuses, Schema, Secret, Section, Type,
};

use crate::sys::Conf;

/// The keys of a Kafka source's section.
pub(crate) const SCHEMA: Schema = Schema { kind: "Kafka", keys: KEYS };

const KEYS: &[Key] = &[
    Key::new(
        "brokers",
        Type::List(&Type::Text),
        "where to begin: `host:port`, one or several; `embedded` starts a broker in this process",
    )
    .required()
    .means(Means::Where),
    Key::new("topic", Type::List(&Type::Text), "the topic to read, or several")
        .required()
        .means(Means::Place("topic")),
    Key::new("group", Type::Text, "the consumer group whose offsets are committed").required(),
    Key::new(
        "start",
        Type::Choice(&["earliest", "latest", "stop"]),
        "where a partition begins that has no committed offset",
    )
    .or("earliest"),
    Key::new(
        "out_of_range",
        Type::Choice(&["stop", "earliest"]),
        "what to do when the log no longer has the committed offset",
    )
    .or("stop"),
    Key::new(
        "until",
        Type::Choice(&["forever", "end"]),
        "`end` stops where the logs ended when reading began",
    )
    .or("forever"),
    Key::new(
        "isolation",
        Type::Choice(&["read_committed", "read_uncommitted"]),
        "whether records of open and aborted transactions are read",
    )
    .or("read_committed"),
    Key::new(
        "assignment",
        Type::Choice(&["cooperative-sticky", "range", "roundrobin"]),
        "how the group shares out its partitions",
    )
    .or("cooperative-sticky"),
    Key::new(
        "instance_id",
        Type::Text,
        "a name of this process that survives restarts: no rebalance within the session timeout",
    ),
    Key::new("session_timeout", Type::Duration, "how long the group waits for a silent member")
        .or("45s")
        .means(Means::SessionTimeout),
    Key::new(
        "max_poll_interval",
        Type::Duration,
        "how long a rebalance waits for a member to give its partitions back",
    )
    .or("5m"),
    Key::new(
        "rejoin_timeout",
        Type::Duration,
        "how long the process goes on after it lost its partitions and was assigned nothing new",
    )
    .or("5m"),
    Key::new("metadata", Type::Duration, "how often new partitions are looked for").or("1m"),
    Key::new("request_timeout", Type::Duration, "how long one question to the brokers may take")
        .or("10s"),
    Key::new(
        "prefetch",
        Type::Size,
        "memory for records fetched ahead, over all partitions; at least 256KiB for each",
    )
    .or("64MiB"),
    Key::new(
        "batch_max",
        Type::Integer { min: 1, max: 65_536 },
        "how many records of a partition are worked on at a time",
    )
    .or("1024"),
    Key::new("tls", Type::Bool, "whether to speak TLS to the brokers").or("false"),
    Key::new("user", Type::Text, "the SASL user"),
    Key::new("password", Type::Text, "the SASL password").secret(),
    Key::new(
        "mechanism",
        Type::Choice(&["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]),
        "how the user is authenticated",
    )
    .or("PLAIN"),
    Key::new("settings", Type::TextMap, "settings passed through to librdkafka").bans(RESERVED),
    Key::new("embedded", Type::Section(EMBEDDED), "the broker in this process, and its orders")
        .needs_feature("kafka-embedded", cfg!(feature = "embedded")),
];

const EMBEDDED: &[Key] = &[
    Key::new("records", Type::Integer { min: 0, max: u64::MAX }, "how many; 0 is endless")
        .or("1000000"),
    Key::new("partitions", Type::Integer { min: 1, max: 1000 }, "partitions of the topic").or("8"),
    Key::new("seed", Type::Integer { min: 0, max: u64::MAX }, "other seeds give other orders")
        .or("1"),
    Key::new("poison_ppm", PPM, "records in a million that cannot be decoded").or("1000"),
    Key::new("tombstone_ppm", PPM, "records in a million without a value").or("2000"),
    Key::new("empty_ppm", PPM, "records in a million with a value of no bytes").or("200"),
    Key::new("duplicate_ppm", PPM, "records in a million that repeat an earlier one").or("10000"),
];

const PPM: Type = Type::Integer { min: 0, max: 1_000_000 };

/// Where a partition begins that has no committed offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    Earliest,
    Latest,
    Stop,
}

/// What to do when the log no longer has the committed offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutOfRange {
    Stop,
    Earliest,
}

/// How the process proves who it is.
#[derive(Clone, Debug)]
pub(crate) struct Auth {
    pub(crate) user: String,
    pub(crate) password: Secret,
    pub(crate) mechanism: String,
}

/// What the broker in this process carries.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "embedded"), expect(dead_code, reason = "read by the embedded broker"))]
pub(crate) struct Embedded {
    pub(crate) records: u64,
    pub(crate) partitions: u32,
    pub(crate) seed: u64,
    pub(crate) poison_ppm: u32,
    pub(crate) tombstone_ppm: u32,
    pub(crate) empty_ppm: u32,
    pub(crate) duplicate_ppm: u32,
}

/// The settings of a Kafka source.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) brokers: String,
    pub(crate) topics: Vec<String>,
    pub(crate) group: String,
    pub(crate) start: Start,
    pub(crate) out_of_range: OutOfRange,
    pub(crate) until_end: bool,
    pub(crate) isolation: String,
    pub(crate) assignment: String,
    pub(crate) instance_id: Option<String>,
    pub(crate) session_timeout: Duration,
    pub(crate) max_poll_interval: Duration,
    pub(crate) rejoin_timeout: Duration,
    pub(crate) metadata: Duration,
    pub(crate) request_timeout: Duration,
    pub(crate) prefetch: u64,
    pub(crate) batch_max: usize,
    pub(crate) tls: bool,
    pub(crate) auth: Option<Auth>,
    pub(crate) passed: Vec<(String, String)>,
    pub(crate) embedded: Option<Embedded>,
}

impl Settings {
    /// Reads a section; all findings at once.
    pub(crate) fn from_section(section: &Section<'_>) -> Result<Self, ConfigErrors> {
        let settings = Self::read(section);
        let mut errors = ConfigErrors::default();
        for finding in settings.findings() {
            let Finding { key, code, text, help } = finding;
            errors.0.extend(section.error(key, code, text, help).0);
        }
        if errors.0.is_empty() { Ok(settings) } else { Err(errors) }
    }

    fn read(section: &Section<'_>) -> Self {
        let texts =
            |key| -> Vec<String> { section.texts(key).into_iter().map(str::to_owned).collect() };
        let password = section.secret_opt("password");
        let auth = section.text_opt("user").map(|user| Auth {
            user: user.to_owned(),
            password: password.unwrap_or_else(|| Secret::new(String::new())),
            mechanism: section.text("mechanism").to_owned(),
        });
        let passed = section
            .text_map("settings")
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        Self {
            brokers: texts("brokers").join(","),
            topics: texts("topic"),
            group: section.text("group").to_owned(),
            start: match section.text("start") {
                "latest" => Start::Latest,
                "stop" => Start::Stop,
                _ => Start::Earliest,
            },
            out_of_range: match section.text("out_of_range") {
                "earliest" => OutOfRange::Earliest,
                _ => OutOfRange::Stop,
            },
            until_end: section.text("until") == "end",
            isolation: section.text("isolation").to_owned(),
            assignment: section.text("assignment").to_owned(),
            instance_id: section.text_opt("instance_id").map(str::to_owned),
            session_timeout: section.duration("session_timeout"),
            max_poll_interval: section.duration("max_poll_interval"),
            rejoin_timeout: section.duration("rejoin_timeout"),
            metadata: section.duration("metadata"),
            request_timeout: section.duration("request_timeout"),
            prefetch: section.size("prefetch"),
            batch_max: usize::try_from(section.integer("batch_max")).unwrap_or(1024),
            tls: section.bool("tls"),
            auth,
            passed,
            embedded: section.section("embedded").map(|inner| Embedded {
                records: inner.integer("records"),
                partitions: small(inner.integer("partitions")),
                seed: inner.integer("seed"),
                poison_ppm: small(inner.integer("poison_ppm")),
                tombstone_ppm: small(inner.integer("tombstone_ppm")),
                empty_ppm: small(inner.integer("empty_ppm")),
                duplicate_ppm: small(inner.integer("duplicate_ppm")),
            }),
        }
    }

    /// What the schema cannot say: settings that are ours, contradict each other, or that
    /// librdkafka refuses.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (key, _) in &self.passed {
            if let Some(ban) = RESERVED.iter().find(|ban| ban.name == key) {
                let text = format!("`{key}`: {}", ban.why);
                findings.push(Finding::new("settings", ban.code, text, ban.help));
            }
        }
        if self.is_embedded() && !cfg!(feature = "embedded") {
            findings.push(Finding::new(
                "brokers",
                "P060",
                "the embedded broker is not compiled in".to_owned(),
                "build with the feature `kafka-embedded`",
            ));
        } else if self.is_embedded() != self.embedded.is_some() {
            findings.push(Finding::new(
                "brokers",
                "P059",
                "`brokers: embedded` and the section `embedded` go together".to_owned(),
                "write both or neither",
            ));
        }
        if self.topics.len() > 1 && self.is_embedded() {
            findings.push(Finding::new(
                "topic",
                "P059",
                "the embedded broker has one topic".to_owned(),
                "name one topic",
            ));
        }
        if self.max_poll_interval < self.session_timeout {
            findings.push(Finding::new(
                "max_poll_interval",
                "P059",
                "`max_poll_interval` is shorter than `session_timeout`".to_owned(),
                "raise `max_poll_interval` or lower `session_timeout`",
            ));
        }
        let needs_tls = self.tls
            || self
                .auth
                .as_ref()
                .is_some_and(|auth| auth.mechanism != "PLAIN");
        if needs_tls && !cfg!(any(feature = "tls", feature = "tls-vendored")) {
            findings.push(Finding::new(
                if self.tls { "tls" } else { "mechanism" },
                "P060",
                "TLS and SCRAM are not compiled in".to_owned(),
                "build with the feature `kafka-tls`",
            ));
            return findings;
        }
        for (key, text) in self.refused() {
            let at = if self.passed.iter().any(|(passed, _)| *passed == key) {
                "settings"
            } else {
                "brokers"
            };
            let text = self.without_secrets(&text);
            findings.push(Finding::new(at, "P059", format!("setting `{key}`: {text}"), ""));
        }
        findings
    }

    /// Whether the broker runs in this process.
    pub(crate) fn is_embedded(&self) -> bool {
        self.brokers == "embedded"
    }

    /// Whether the client marks the ends of logs.
    pub(crate) fn marks_end(&self) -> bool {
        self.until_end && !self.is_embedded()
    }

    /// How far each partition may be fetched ahead when `partitions` of them are expected.
    ///
    /// librdkafka counts this per partition once their queues are split, and cannot change it
    /// while it runs: so it is chosen once, from the number of partitions known at the start.
    pub(crate) fn prefetch_of_each(&self, partitions: usize) -> u64 {
        let share = self.prefetch / u64::try_from(partitions.max(1)).unwrap_or(u64::MAX);
        share.max(PREFETCH_MIN)
    }

    /// How much one fetch brings of one partition: by so much the prefetch is overshot.
    fn fetch_of_each(&self, partitions: usize) -> u64 {
        self.prefetch_of_each(partitions).min(FETCH_MAX)
    }

    /// The configuration of a client that expects `partitions` partitions.
    ///
    /// # Errors
    ///
    /// librdkafka's words for a key or value it refuses, with the key; secrets removed.
    pub(crate) fn conf(&self, brokers: &str, partitions: usize) -> Result<Conf, String> {
        let mut conf = Conf::new();
        for (key, value) in self.pairs(brokers, partitions) {
            conf.set(&key, &value)
                .map_err(|text| self.without_secrets(&format!("setting `{key}`: {text}")))?;
        }
        Ok(conf)
    }

    fn refused(&self) -> Vec<(String, String)> {
        let mut conf = Conf::new();
        self.pairs(&self.brokers, 1)
            .into_iter()
            .filter_map(|(key, value)| conf.set(&key, &value).err().map(|text| (key, text)))
            .collect()
    }

    fn pairs(&self, brokers: &str, partitions: usize) -> Vec<(String, String)> {
        let millis = |duration: Duration| duration.as_millis().to_string();
        let kib = self.prefetch_of_each(partitions) / 1024;
        let mut pairs = vec![
            ("bootstrap.servers", brokers.to_owned()),
            ("group.id", self.group.clone()),
            ("client.id", "spate".to_owned()),
            ("enable.auto.commit", "false".to_owned()),
            ("enable.auto.offset.store", "false".to_owned()),
            ("auto.offset.reset", "error".to_owned()),
            ("allow.auto.create.topics", "false".to_owned()),
            ("isolation.level", self.isolation.clone()),
            ("partition.assignment.strategy", self.assignment.clone()),
            ("session.timeout.ms", millis(self.session_timeout)),
            ("max.poll.interval.ms", millis(self.max_poll_interval)),
            ("topic.metadata.refresh.interval.ms", millis(self.metadata)),
            // By bytes only: a count would stall small records at 100,000 a partition for a
            // second (docs/adr: kafka-batch-consume).
            ("queued.min.messages", "10000000".to_owned()),
            ("queued.max.messages.kbytes", kib.to_string()),
            ("fetch.message.max.bytes", self.fetch_of_each(partitions).to_string()),
            ("fetch.queue.backoff.ms", "10".to_owned()),
            ("log.connection.close", "false".to_owned()),
            // An end-of-partition marker makes librdkafka 2.12 take the offset after it as read
            // when messages are taken in batches, so a pause at that moment would skip a record.
            // A bounded lane takes nothing after the marker; only there it does no harm.
            ("enable.partition.eof", self.marks_end().to_string()),
        ];
        let protocol = match (self.tls, self.auth.is_some()) {
            (false, false) => "plaintext",
            (false, true) => "sasl_plaintext",
            (true, false) => "ssl",
            (true, true) => "sasl_ssl",
        };
        pairs.push(("security.protocol", protocol.to_owned()));
        if let Some(auth) = &self.auth {
            pairs.push(("sasl.mechanism", auth.mechanism.clone()));
            pairs.push(("sasl.username", auth.user.clone()));
            pairs.push(("sasl.password", auth.password.reveal().to_owned()));
        }
        if self.is_embedded() {
            // The mock answers an empty fetch only when this time is over, whatever arrives.
            pairs.push(("fetch.wait.max.ms", "5".to_owned()));
            pairs.push(("heartbeat.interval.ms", "1000".to_owned()));
        }
        if let Some(id) = &self.instance_id {
            pairs.push(("group.instance.id", id.clone()));
        }
        pairs
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .chain(self.passed.iter().cloned())
            .collect()
    }

    /// `text` without the password, should librdkafka ever repeat it.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        match &self.auth {
            Some(auth) if auth.password.reveal().len() > 3 => {
                text.replace(auth.password.reveal(), "***")
            }
            _ => text.to_owned(),
        }
    }
}

/// One thing that is wrong with a section, at one of its keys.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) key: &'static str,
    pub(crate) code: &'static str,
    pub(crate) text: String,
    pub(crate) help: &'static str,
}

impl Finding {
    fn new(key: &'static str, code: &'static str, text: String, help: &'static str) -> Self {
        Self { key, code, text, help }
    }
}

/// The settings of librdkafka that are not passed through, and what to write instead.
const RESERVED: &[Ban] = &[
    ours("enable.auto.commit"),
    ours("auto.commit.enable"),
    ours("auto.commit.interval.ms"),
    ours("enable.auto.offset.store"),
    ours("offset.store.method"),
    Ban {
        why: "nothing jumps silently",
        help: "use `start` and `out_of_range`",
        ..ours("auto.offset.reset")
    },
    instead("enable.partition.eof", "use `until`"),
    instead("bootstrap.servers", "use `brokers`"),
    instead("metadata.broker.list", "use `brokers`"),
    instead("group.id", "use `group`"),
    instead("group.instance.id", "use `instance_id`"),
    instead("group.protocol", "leave it out: the classic protocol is used"),
    instead("isolation.level", "use `isolation`"),
    instead("partition.assignment.strategy", "use `assignment`"),
    instead("session.timeout.ms", "use `session_timeout`"),
    instead("max.poll.interval.ms", "use `max_poll_interval`"),
    instead("topic.metadata.refresh.interval.ms", "use `metadata`"),
    instead("queued.max.messages.kbytes", "use `prefetch`"),
    instead("sasl.mechanism", "use `mechanism`"),
    instead("sasl.mechanisms", "use `mechanism`"),
    instead("sasl.username", "use `user`"),
    instead("sasl.password", "use `password`, which is never shown"),
    instead("test.mock.num.brokers", "use `brokers: embedded`"),
];

/// P061: nobody commits but us.
const fn ours(name: &'static str) -> Ban {
    Ban {
        name,
        refuses: Refuses::Any,
        unless: None,
        code: "P061",
        why: "offsets are committed by spate, when rows are durable",
        help: "leave it out",
    }
}

const fn instead(name: &'static str, help: &'static str) -> Ban {
    Ban { code: "P059", why: "not passed through, it has a key of its own", help, ..ours(name) }
}

/// Below this, more time goes into fetches than into records.
const PREFETCH_MIN: u64 = 256 * 1024;
/// librdkafka's own default for one fetch of one partition; a larger record comes all the same.
const FETCH_MAX: u64 = 1024 * 1024;

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Settings as the schema's defaults give them, with short timeouts.
    pub(crate) fn settings(brokers: &str, topic: &str, group: &str) -> Settings {
        Settings {
            brokers: brokers.to_owned(),
            topics: vec![topic.to_owned()],
            group: group.to_owned(),
            start: Start::Earliest,
            out_of_range: OutOfRange::Stop,
            until_end: false,
            isolation: "read_committed".to_owned(),
            assignment: "cooperative-sticky".to_owned(),
            instance_id: None,
            session_timeout: Duration::from_secs(6),
            max_poll_interval: Duration::from_secs(60),
            rejoin_timeout: Duration::from_secs(300),
            metadata: Duration::from_secs(60),
            request_timeout: Duration::from_secs(5),
            prefetch: 64 << 20,
            batch_max: 1024,
            tls: false,
            auth: None,
            passed: Vec::new(),
            embedded: None,
        }
    }

    fn passed(pairs: &[(&str, &str)]) -> Settings {
        let mut settings = settings("localhost:1", "orders", "etl");
        settings.passed = pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        settings
    }

    #[test]
    fn the_defaults_are_accepted_by_librdkafka() {
        let findings = settings("localhost:1", "orders", "etl").findings();
        assert!(findings.is_empty(), "{findings:?}");
    }

    #[test]
    fn settings_pass_through() {
        assert!(
            passed(&[("fetch.min.bytes", "1000"), ("client.rack", "a")])
                .findings()
                .is_empty()
        );
    }

    #[test]
    fn whoever_else_would_commit_is_refused() {
        for key in ["enable.auto.commit", "auto.offset.reset", "enable.auto.offset.store"] {
            let findings = passed(&[(key, "true")]).findings();
            assert!(findings.iter().any(|finding| finding.code == "P061"), "{key}: {findings:?}");
            assert!(findings[0].text.contains(key));
        }
    }

    #[test]
    fn every_refusal_is_reported_with_its_key() {
        let findings = passed(&[
            ("fetch.minn.bytes", "1"),
            ("socket.keepalive.enable", "perhaps"),
            ("group.id", "other"),
        ])
        .findings();
        let text: Vec<_> = findings
            .iter()
            .map(|finding| finding.text.as_str())
            .collect();
        assert_eq!(findings.len(), 3, "{text:?}");
        for key in ["fetch.minn.bytes", "socket.keepalive.enable", "group.id"] {
            assert!(text.iter().any(|text| text.contains(key)), "{text:?}");
        }
    }

    /// R134: the password is in no text and in no `Debug`.
    #[test]
    fn the_password_is_never_shown() {
        let mut settings = settings("localhost:1", "orders", "etl");
        settings.auth = Some(Auth {
            user: "etl".to_owned(),
            password: Secret::new("S3cr3t-zz9".to_owned()),
            mechanism: "PLAIN".to_owned(),
        });
        assert!(!format!("{settings:?}").contains("S3cr3t-zz9"));
        assert_eq!(settings.without_secrets("refused S3cr3t-zz9 here"), "refused *** here");
    }

    /// R031: one budget over all partitions, and never less than one fetch for each.
    #[test]
    fn the_prefetch_is_shared_out_over_the_partitions() {
        let settings = settings("localhost:1", "orders", "etl");
        assert_eq!(settings.prefetch_of_each(1), 64 << 20);
        assert_eq!(settings.prefetch_of_each(8), 8 << 20);
        assert_eq!(settings.prefetch_of_each(0), 64 << 20);
        let worst = 90 * (settings.prefetch_of_each(90) + settings.fetch_of_each(90));
        assert!(worst < 160 << 20, "{worst}");
        assert_eq!(settings.prefetch_of_each(1000), 256 << 10);
    }

    /// The guide's page names every key and every code.
    #[test]
    fn the_page_in_the_guide_is_complete() {
        let page = include_str!("../../../docs/guide/kafka.md");
        for key in KEYS.iter().chain(EMBEDDED) {
            assert!(page.contains(&format!("`{}`", key.name)), "{} is missing", key.name);
            let shown = key
                .default
                .is_none_or(|default| page.contains(&format!("`{default}`")));
            assert!(shown || EMBEDDED.iter().any(|inner| inner.name == key.name), "{}", key.name);
        }
        let check = include_str!("source/check.rs");
        for code in check
            .split('"')
            .filter(|text| text.len() == 4 && text.starts_with("S0"))
        {
            assert!(page.contains(&format!("| {code} |")), "{code} is missing");
        }
    }

    #[cfg(not(any(feature = "tls", feature = "tls-vendored")))]
    #[test]
    fn tls_without_its_feature_names_the_feature() {
        let mut settings = settings("localhost:1", "orders", "etl");
        settings.tls = true;
        let findings = settings.findings();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!((findings[0].key, findings[0].code), ("tls", "P060"));
        assert!(findings[0].help.contains("kafka-tls"));
    }
}
