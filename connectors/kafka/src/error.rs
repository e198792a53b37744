//! Who must act on which librdkafka code: one table.
//!
//! | codes | class | why |
//! |---|---|---|
//! | authentication, TLS, authorisation, fenced, bad settings | `Config` | the same answer comes until the operator acts |
//! | illegal generation, rebalance in progress, unknown member | `Remote` | the group is on the move; a later commit carries more (R015) |
//! | transport, timeouts, coordinators, leaders | `Remote` | the brokers are expected to recover |
//! | codec not built in, metadata too large, position out of range | `Config` | reading on cannot succeed |
//! | bad message, bad compression | `Record` | the log holds what cannot be read |

use rdkafka_sys::rd_kafka_resp_err_t as E;
use spate_runtime::error::{Class, SourceError};

use crate::sys::Code;

/// Who must act on `code`.
pub(crate) fn class(code: Code) -> Class {
    if CONFIG.iter().any(|known| code.is(*known)) {
        Class::Config
    } else if RECORD.iter().any(|known| code.is(*known)) {
        Class::Record
    } else {
        Class::Remote
    }
}

/// An error that carries what librdkafka said, with a hint where one is known.
pub(crate) fn source_error(code: Code, text: impl Into<String>) -> SourceError {
    let error = SourceError::new(class(code), text).because(code);
    match hint(code) {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// What to do about a code.
pub(crate) fn hint(code: Code) -> Option<&'static str> {
    HINTS
        .iter()
        .find(|(known, _)| code.is(*known))
        .map(|(_, hint)| *hint)
}

const CONFIG: &[E] = &[
    E::RD_KAFKA_RESP_ERR__AUTHENTICATION,
    E::RD_KAFKA_RESP_ERR__SSL,
    E::RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
    E::RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM,
    E::RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE,
    E::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
    E::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
    E::RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
    E::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID,
    E::RD_KAFKA_RESP_ERR__FATAL,
    E::RD_KAFKA_RESP_ERR__INVALID_ARG,
    E::RD_KAFKA_RESP_ERR_INVALID_GROUP_ID,
    E::RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT,
    E::RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL,
    E::RD_KAFKA_RESP_ERR_GROUP_MAX_SIZE_REACHED,
    E::RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION,
    E::RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE,
    E::RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE,
    E::RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET,
    E::RD_KAFKA_RESP_ERR__LOG_TRUNCATION,
    E::RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED,
    E::RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE,
    E::RD_KAFKA_RESP_ERR_UNSUPPORTED_COMPRESSION_TYPE,
    E::RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION,
];

const RECORD: &[E] = &[
    E::RD_KAFKA_RESP_ERR__BAD_MSG,
    E::RD_KAFKA_RESP_ERR__BAD_COMPRESSION,
    E::RD_KAFKA_RESP_ERR_INVALID_MSG,
];

const HINTS: &[(E, &str)] = &[
    (E::RD_KAFKA_RESP_ERR__AUTHENTICATION, "check `user`, `password` and `mechanism`"),
    (E::RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, "check `user`, `password` and `mechanism`"),
    (E::RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM, "set `mechanism` to one the brokers accept"),
    (E::RD_KAFKA_RESP_ERR__SSL, "check `security.protocol` and the `ssl.*` settings"),
    (
        E::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
        "the user needs READ and DESCRIBE on the topic",
    ),
    (E::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, "the user needs READ on the group"),
    (E::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, "give every process an `instance_id` of its own"),
    (
        E::RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE,
        "raise the broker's `offset.metadata.max.bytes`, or use fewer shards",
    ),
    (
        E::RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED,
        "the topic is compressed with a codec that this program was built without",
    ),
    (
        E::RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL,
        "all members of the group must share an assignment strategy: see `assignment`",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_the_class_the_table_says() {
        for (code, expected) in [
            (E::RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, Class::Remote),
            (E::RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, Class::Remote),
            (E::RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, Class::Remote),
            (E::RD_KAFKA_RESP_ERR__TRANSPORT, Class::Remote),
            (E::RD_KAFKA_RESP_ERR__TIMED_OUT, Class::Remote),
            (E::RD_KAFKA_RESP_ERR_NOT_COORDINATOR, Class::Remote),
            (E::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, Class::Config),
            (E::RD_KAFKA_RESP_ERR__AUTHENTICATION, Class::Config),
            (E::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, Class::Config),
            (E::RD_KAFKA_RESP_ERR__BAD_COMPRESSION, Class::Record),
        ] {
            assert_eq!(class(Code::of(code)), expected, "{code:?}");
        }
    }

    /// A code newer than the binding is waited out, not trusted to be fatal.
    #[test]
    fn an_unknown_code_is_the_brokers_own_affair() {
        assert_eq!(class(Code(9999)), Class::Remote);
        assert!(!Code(9999).text().is_empty());
    }

    #[test]
    fn a_hint_goes_with_the_error_and_the_code_is_its_cause() {
        let error = source_error(
            Code::of(E::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID),
            "instance `etl-0` was fenced",
        );
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("instance_id"))
        );
        let text = spate_runtime::error::chain_text(&error);
        assert!(text.contains("FENCED_INSTANCE_ID"), "{text}");
    }
}
