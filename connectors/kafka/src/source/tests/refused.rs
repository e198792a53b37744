//! Brokers that refuse: who is told, with which class, and that no secret is in it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use spate_runtime::config::Secret;

use super::*;
use crate::config::Auth;

/// Polls until the source stops with an error.
fn stopped(source: &mut KafkaSource) -> SourceError {
    let clock = Clock::real();
    let deadline = clock.now() + PATIENCE;
    let mut seen = Vec::new();
    loop {
        match source.poll(STEP) {
            Ok(event) => seen.extend(event.map(|event| format!("{event:?}"))),
            Err(error) => return error,
        }
        assert!(clock.now() < deadline, "the source goes on: {seen:?}");
    }
}

fn with_password(settings: &mut Settings) {
    settings.auth = Some(Auth {
        user: "etl".to_owned(),
        password: Secret::new("S3cr3t-zz9".to_owned()),
        mechanism: "PLAIN".to_owned(),
    });
}

/// R121: a wrong password is fatal, says so, and does not show the password.
#[test]
fn a_wrong_password_stops_with_the_reason_and_without_the_password() {
    let brokers = refusing_broker();
    let mut settings = settings(&brokers, TOPIC, "etl");
    settings.request_timeout = Duration::from_secs(2);
    with_password(&mut settings);
    let mut source = KafkaSource::new(settings).unwrap();
    let findings = source.check();
    assert_eq!(findings.0.len(), 1, "{findings:?}");
    assert_eq!((findings.0[0].code, findings.0[0].severity), ("S041", Severity::Error));

    source.start().unwrap();
    let error = stopped(&mut source);
    assert_eq!(error.class(), Class::Config, "{error}");
    let text = format!("{findings:?} {}", spate_runtime::error::chain_text(&error));
    assert!(text.contains("authentication"), "{text}");
    assert!(!text.contains("S3cr3t"), "{text}");
}

/// R022: fenced is fatal, and names the instance.
#[test]
fn a_fenced_instance_stops_and_is_named() {
    let fenced = E::RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID;
    let world = World::new(1).with(|settings| settings.instance_id = Some("etl-0".to_owned()));
    let mut member = world.source();
    member.until_lanes(1);
    world.cluster.fail(OFFSET_COMMIT, &[fenced]);
    let error = member.commit(0, 0, "").unwrap_err();
    assert_eq!(error.class(), Class::Config);
    assert!(error.to_string().contains("`etl-0`"), "{error}");

    world.cluster.fail(HEARTBEAT, &[fenced]);
    let error = stopped(&mut member.source);
    assert_eq!(error.class(), Class::Config);
    assert!(error.to_string().contains("`etl-0`"), "{error}");
}

#[test]
fn a_group_that_may_not_be_joined_stops_the_source() {
    let refused = E::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
    let world = World::new(1);
    world.cluster.fail(JOIN_GROUP, &[refused; 3]);
    let mut source = world.bare();
    source.start().unwrap();
    let error = stopped(&mut source);
    assert_eq!(error.class(), Class::Config, "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("group")), "{error}");
}

#[test]
fn a_topic_that_may_not_be_read_ends_its_lane() {
    let world = World::new(1);
    let mut member = world.source();
    member.until_lanes(1);
    world
        .cluster
        .fail(FETCH, &[E::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED; 20]);
    let mut failed = None;
    member.until("the refusal", |member| {
        failed = member.lanes.get_mut(&0).unwrap().fill().err();
        failed.is_some()
    });
    let error = failed.unwrap();
    assert_eq!(error.class(), Class::Config, "{error}");
    assert!(error.to_string().contains("orders[0]"), "{error}");
    assert!(member.lanes.get_mut(&0).unwrap().fill().is_err(), "a failed lane stays so");
}

/// The records before a failure are given out first.
#[test]
fn what_was_fetched_before_a_failure_is_still_read() {
    let world = World::new(1);
    world.send_numbered(0, 0..100);
    let mut member = world.source();
    member.until_lanes(1);
    assert_eq!(member.offsets(0, 100).len(), 100);
    world
        .cluster
        .fail(FETCH, &[E::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION; 3]);
    world.send_numbered(0, 100..110);
    assert_eq!(member.offsets(0, 10), (100..110).collect::<Vec<_>>());
}

/// R023: partitions lost, none given back in time: the source stops instead of idling for ever.
#[test]
fn a_member_that_stays_without_partitions_stops() {
    let world = World::new(1).with(|settings| settings.rejoin_timeout = Duration::from_secs(3600));
    let mut member = world.source();
    member.source.clock = Clock::manual();
    let clock = member.source.clock.clone();
    member.until_lanes(1);
    clock.advance(Duration::from_secs(7200));
    assert!(member.source.poll(STEP).is_ok(), "an assigned member may idle");

    world
        .cluster
        .fail(JOIN_GROUP, &[E::RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE; 10_000]);
    world
        .cluster
        .fail(HEARTBEAT, &[E::RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID]);
    member.until("the loss", |member| member.lanes.is_empty());
    assert!(member.source.poll(STEP).is_ok());
    clock.advance(Duration::from_secs(3601));
    let error = stopped(&mut member.source);
    assert!(error.to_string().contains("lost all partitions"), "{error}");
}

/// Lists what it can and refuses every user.
///
/// Source: Kafka protocol, `ApiVersions` v0, `SaslHandshake` v1, `SaslAuthenticate` v0.
fn refusing_broker() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || while answer(&mut stream).is_ok() {});
        }
    });
    address.to_string()
}

fn answer(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut size = [0; 4];
    stream.read_exact(&mut size)?;
    let mut request = vec![0; u32::from_be_bytes(size) as usize];
    stream.read_exact(&mut request)?;
    let (api, version) = (request[1], request[3]);
    let mut body = request[4..8].to_vec();
    match (api, version) {
        (SASL_HANDSHAKE, _) => {
            body.extend([0, 0, 0, 0, 0, 1, 0, 5]);
            body.extend(b"PLAIN");
        }
        (SASL_AUTHENTICATE, _) => {
            body.extend([0, 58, 0, 10]);
            body.extend(b"wrong user");
            body.extend([0, 0, 0, 0]);
        }
        (API_VERSIONS, 0) => {
            body.extend([0, 0, 0, 0, 0, 4]);
            for (api, max) in
                [(3, 1), (SASL_HANDSHAKE, 1), (API_VERSIONS, 0), (SASL_AUTHENTICATE, 0)]
            {
                body.extend([0, api, 0, 0, 0, max]);
            }
        }
        // UNSUPPORTED_VERSION, in the form of v0: the client asks again with 0.
        _ => body.extend([0, 35, 0, 0, 0, 0]),
    }
    stream.write_all(
        &u32::try_from(body.len())
            .expect("a small answer")
            .to_be_bytes(),
    )?;
    stream.write_all(&body)
}

const API_VERSIONS: u8 = 18;
const SASL_HANDSHAKE: u8 = 17;
const SASL_AUTHENTICATE: u8 = 36;
const FETCH: i16 = 1;
const JOIN_GROUP: i16 = 11;
