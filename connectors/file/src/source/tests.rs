//! The source as the runtime drives it: read, commit, come back.

use super::*;
use crate::testing::TempDir;
use spate_runtime::error::Class;
use spate_runtime::lane::source::{Filled, Lane, Note};

fn source(dir: &TempDir, paths: &[&str]) -> FileSource {
    FileSource::new(Settings {
        name: "events".to_owned(),
        paths: paths.iter().map(|path| at(dir, path)).collect(),
        checkpoint: dir.path().join("state"),
        line_max: 1000,
        files_open: 2,
    })
}

fn at(dir: &TempDir, name: &str) -> String {
    dir.path().join(name).to_str().unwrap().to_owned()
}

fn write(dir: &TempDir, name: &str, text: &str) {
    fs::write(dir.path().join(name), text).unwrap();
}

fn next(source: &mut FileSource) -> Option<SourceEvent> {
    source.poll(Duration::ZERO).unwrap()
}

fn assigned(source: &mut FileSource) -> Vec<Assigned> {
    match next(source) {
        Some(SourceEvent::Assigned(assigned)) => assigned,
        other => panic!("no assignment but {other:?}"),
    }
}

/// All lines of a lane, each with its offset.
fn read(lane: &mut dyn Lane) -> Vec<(u64, String)> {
    let mut lines = Vec::new();
    while lane.fill().unwrap() == Filled::Payloads {
        for payload in lane.batch().payloads() {
            let text = String::from_utf8(payload.value.unwrap().to_vec()).unwrap();
            lines.push((payload.offset.0, text));
        }
        lane.release();
    }
    assert_eq!(lane.fill().unwrap(), Filled::Ended, "again and again");
    lines
}

fn commit(source: &mut FileSource, path: String, watermark: u64) {
    let partition = Partition::new(path, 0);
    let note = Note("spate1;i=00000000000000ff".to_owned());
    let commit = Commit { partition, watermark: Watermark(watermark), note };
    source.commit(&[commit]).unwrap();
}

#[test]
fn every_file_is_read_a_few_at_a_time_and_then_the_source_ends() {
    let dir = TempDir::new();
    for name in ["a", "b", "c"] {
        write(&dir, name, &format!("{name}1\n{name}2"));
    }
    let mut source = source(&dir, &["a", "b", "c"]);
    assert_eq!(source.check(), Findings::default());
    source.start().unwrap();
    let mut first = assigned(&mut source);
    assert_eq!(first.len(), 2);
    assert!(next(&mut source).is_none(), "two are open already");
    assert_eq!(read(&mut *first[0].lane), [(0, "a1".to_owned()), (3, "a2".to_owned())]);
    assert_eq!(first[0].lane.position(), Some(NextOffset(5)));
    let mut more = assigned(&mut source);
    assert_eq!(more[0].partition.topic.as_ref(), at(&dir, "c"));
    assert!(next(&mut source).is_none());
    read(&mut *first[1].lane);
    read(&mut *more[0].lane);
    assert!(next(&mut source).is_none());
    assert!(matches!(next(&mut source), Some(SourceEvent::Ended)));
    assert!(next(&mut source).is_none(), "it ends once");
    assert!(source.log_ends().iter().all(|end| end.end == NextOffset(5)));
}

#[test]
fn a_source_without_files_ends_at_once() {
    let dir = TempDir::new();
    fs::create_dir(dir.path().join("in")).unwrap();
    let mut source = source(&dir, &["in"]);
    assert!(!source.check().has_errors());
    source.start().unwrap();
    assert!(assigned(&mut source).is_empty());
    assert!(matches!(next(&mut source), Some(SourceEvent::Ended)));
}

/// Wherever the watermark stands, the lines at or after it come, and none before it.
#[test]
fn a_restart_goes_on_at_the_watermark() {
    let dir = TempDir::new();
    let text = "one\ntwo\r\n\nthree";
    let lines = [(0, "one"), (4, "two"), (10, "three")];
    for watermark in 0..=u64::try_from(text.len()).unwrap() {
        write(&dir, "a", text);
        let mut before = source(&dir, &["a"]);
        before.start().unwrap();
        drop(assigned(&mut before));
        commit(&mut before, at(&dir, "a"), watermark);
        before.close();
        drop(before);

        let mut after = source(&dir, &["a"]);
        after.start().unwrap();
        let mut lanes = assigned(&mut after);
        assert_eq!(lanes[0].start, NextOffset(watermark));
        assert_eq!(lanes[0].note, Some(Note("spate1;i=00000000000000ff".to_owned())));
        let expected: Vec<(u64, String)> = lines
            .iter()
            .filter(|(at, _)| *at >= watermark)
            .map(|&(at, text)| (at, text.to_owned()))
            .collect();
        assert_eq!(read(&mut *lanes[0].lane), expected, "from {watermark}");
        assert_eq!(lanes[0].lane.position(), Some(NextOffset(15)));
    }
}

#[test]
fn a_file_that_grew_gives_what_is_new() {
    let dir = TempDir::new();
    write(&dir, "a", "one\n");
    let mut before = source(&dir, &["a"]);
    before.start().unwrap();
    commit(&mut before, at(&dir, "a"), 4);
    drop(before);
    write(&dir, "a", "one\ntwo\n");
    let mut after = source(&dir, &["a"]);
    after.start().unwrap();
    assert_eq!(read(&mut *assigned(&mut after)[0].lane), [(4, "two".to_owned())]);
}

#[test]
fn a_file_that_was_cut_is_an_error_and_no_jump() {
    let dir = TempDir::new();
    write(&dir, "a", "one\n");
    let mut before = source(&dir, &["a"]);
    before.start().unwrap();
    commit(&mut before, at(&dir, "a"), 400);
    drop(before);
    let mut after = source(&dir, &["a"]);
    assert!(after.check().has_errors());
    after.start().unwrap();
    let error = assigned(&mut after)[0].lane.fill().unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("has 4 bytes, but 400 of it were read"),
        "{error}"
    );
}

#[test]
fn a_line_that_is_too_long_stops_and_says_where() {
    let dir = TempDir::new();
    write(&dir, "a", &format!("ok\n{}\n", "x".repeat(1001)));
    let mut source = source(&dir, &["a"]);
    source.start().unwrap();
    let mut lanes = assigned(&mut source);
    assert_eq!(lanes[0].lane.fill().unwrap(), Filled::Payloads);
    lanes[0].lane.release();
    let error = lanes[0].lane.fill().unwrap_err();
    assert_eq!(error.class(), Class::Record);
    assert!(error.to_string().contains("the line at byte 3 of"), "{error}");
}

#[test]
fn r141_a_start_over_a_damaged_checkpoint_warns_or_names_it() {
    let dir = TempDir::new();
    write(&dir, "a", "one\ntwo\n");
    let mut before = source(&dir, &["a"]);
    before.start().unwrap();
    commit(&mut before, at(&dir, "a"), 4);
    commit(&mut before, at(&dir, "a"), 8);
    drop(before);
    fs::write(dir.path().join("state/events.checkpoint"), "").unwrap();

    let mut after = source(&dir, &["a"]);
    assert!(!after.check().has_errors());
    after.start().unwrap();
    assert!(matches!(next(&mut after), Some(SourceEvent::Warning(_))));
    assert_eq!(read(&mut *assigned(&mut after)[0].lane), [(4, "two".to_owned())]);
    drop(after);

    fs::write(dir.path().join("state/events.checkpoint.previous"), "").unwrap();
    let mut broken = source(&dir, &["a"]);
    assert!(broken.check().has_errors());
    let error = broken.start().unwrap_err();
    assert!(error.to_string().contains("events.checkpoint"), "{error}");
}
