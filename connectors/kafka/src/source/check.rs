//! The preflight: brokers, topics, permissions and positions, before a record is read.
//!
//! | code | what |
//! |---|---|
//! | S040 | the brokers do not answer (a start waits for them) |
//! | S041 | the brokers refuse: authentication, TLS |
//! | S042 | a topic is not there, or may not be read |
//! | S043 | the group may not be used |
//! | S044 | a committed offset is out of range, or there is none and `start` is `stop` |
//! | S045 | librdkafka refuses the settings |

use std::time::Duration;

use rdkafka_sys::rd_kafka_resp_err_t as E;
use spate_runtime::error::Class;
use spate_runtime::preflight::Findings;

use super::{KafkaSource, ask, c_string, count_of};
use crate::error;
use crate::start;
use crate::sys::{Client, Code, Entry, EventKind, Queue};

impl KafkaSource {
    /// Looks at the brokers; joins nothing, reads nothing.
    pub(super) fn look(&mut self) -> Findings {
        let mut findings = Findings::default();
        let client = match self.client() {
            Ok(client) => client,
            Err(error) => {
                findings.error("S045", error.to_string(), error.hint().unwrap_or(""));
                return findings;
            }
        };
        let main = Queue::main(&client);
        let topics = self.settings.topics.clone();
        let mut entries = Vec::new();
        for topic in &topics {
            match client.partitions(&c_string(topic), self.settings.request_timeout) {
                Ok(ids) if ids.is_empty() => {
                    findings.error("S042", format!("topic `{topic}` has no partitions"), "");
                }
                Ok(ids) => {
                    self.known.insert(topic.clone(), count_of(&ids));
                    findings.note("S042", format!("topic `{topic}`: {} partitions", ids.len()));
                    entries.extend(ids.into_iter().map(|id| Entry::of(topic, id)));
                }
                Err(code) if is_about_topic(code) => {
                    let help = error::hint(code).unwrap_or("create it, or correct `topic`");
                    findings.error("S042", format!("topic `{topic}`: {code}"), help);
                }
                Err(code) => {
                    self.unreachable(&main, code, &mut findings);
                    return findings;
                }
            }
        }
        if !entries.is_empty() {
            self.look_at_positions(&client, &entries, &mut findings);
        }
        findings
    }

    /// The brokers did not answer: says whether they refuse or are not there.
    fn unreachable(&self, main: &Queue, code: Code, findings: &mut Findings) {
        let mut reason = None;
        while let Some(event) = main.poll(Duration::ZERO) {
            if !matches!(event.kind(), EventKind::Error) {
                continue;
            }
            let (code, text) = (event.code(), self.settings.without_secrets(&event.text()));
            if error::class(code) == Class::Config {
                let help = error::hint(code).unwrap_or("");
                let what =
                    if code.is(E::RD_KAFKA_RESP_ERR__SSL) { "TLS" } else { "authentication" };
                findings.error(
                    "S041",
                    format!("{what} failed at `{}`: {text}", self.brokers),
                    help,
                );
                return;
            }
            if !code.is(E::RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
                reason = Some(text);
            }
        }
        let reason = reason.unwrap_or_else(|| code.to_string());
        findings.unreachable(
            "S040",
            format!("brokers `{}` do not answer: {reason}", self.brokers),
            "check `brokers` and the network",
        );
    }

    /// Asks for the group's offsets, which needs the group's permission, and holds them against
    /// the logs.
    fn look_at_positions(&self, client: &Client, entries: &[Entry], findings: &mut Findings) {
        let group = &self.settings.group;
        let found = match ask(client, entries, self.settings.request_timeout) {
            Ok(found) => found,
            Err(code) if error::class(code) == Class::Config => {
                let help = error::hint(code).unwrap_or("");
                findings.error("S043", format!("offsets of group `{group}`: {code}"), help);
                return;
            }
            Err(code) => {
                let text = format!("offsets of group `{group}` could not be read: {code}");
                findings.unreachable("S040", text, "check the brokers");
                return;
            }
        };
        for found in found {
            let (start, policy) = (self.settings.start, self.settings.out_of_range);
            match start::begin(&found.partition, &found.known, start, policy) {
                Err(error) => {
                    findings.error("S044", error.to_string(), error.hint().unwrap_or(""));
                }
                Ok(begin) if begin.gap > 0 => findings.warning(
                    "S044",
                    format!("partition `{}` lost {} offsets", found.partition, begin.gap),
                    format!("reading goes on at {}", begin.at),
                ),
                Ok(_) => {}
            }
        }
    }
}

fn is_about_topic(code: Code) -> bool {
    [
        E::RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,
        E::RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,
        E::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
        E::RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION,
        E::RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
    ]
    .iter()
    .any(|known| code.is(*known))
}
