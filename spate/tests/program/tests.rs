//! What the program must do.

use std::net::TcpListener;
use std::process::ExitCode;

use spate_datagen::{Expected, Settings};

use crate::child::{Out, Program, run as program};

/// Every test with its name: there is no harness, because the program needs the arguments.
const TESTS: &[(&str, fn())] = &[
    ("a_bounded_run_drains_reports_and_exits_0", a_bounded_run_drains_reports_and_exits_0),
    ("sinks_to_writes_the_rows_of_every_sink", sinks_to_writes_the_rows_of_every_sink),
    ("the_first_signal_drains", the_first_signal_drains),
    ("r123_a_drain_past_its_deadline_exits_3", r123_a_drain_past_its_deadline_exits_3),
    ("r123_a_second_signal_ends_at_once", r123_a_second_signal_ends_at_once),
    ("r129_a_port_that_is_taken_is_named", r129_a_port_that_is_taken_is_named),
    ("r134_a_secret_is_said_nowhere", r134_a_secret_is_said_nowhere),
    ("a_wrong_configuration_is_told_whole_and_exits_1", a_wrong_configuration_is_told_whole),
    ("a_log_in_json_has_json_lines_only", a_log_in_json_has_json_lines_only),
    ("check_says_whether_it_can_run", check_says_whether_it_can_run),
    ("what_is_asked_for_is_on_standard_output", what_is_asked_for_is_on_standard_output),
];

/// Runs the tests whose names hold the first argument that is no option.
pub(crate) fn run() -> ExitCode {
    let filter = std::env::args()
        .skip(1)
        .find(|arg| !arg.starts_with('-'))
        .unwrap_or_default();
    let mut failed = 0;
    for (name, test) in TESTS.iter().filter(|(name, _)| name.contains(&filter)) {
        let passed = std::panic::catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += u8::from(!passed);
    }
    ExitCode::from(failed)
}

/// An endless run, slow enough for a test to look at.
const ENDLESS: &str = "\
pipeline: { admin: off, pin: off, threads: 2, drain_timeout: \"${DRAIN_TIMEOUT:-30s}\" }
events: { rate: 2_000, partitions: 3 }
lines: { dir: \"${OUT}/lines\", linger: 20ms, retry_cap: 100ms }
held: { hangs: \"${HANGS:-false}\", linger: 20ms, retry_cap: 100ms, retry_base: 10ms }
rejects: { dir: \"${OUT}/rejects\", linger: 20ms, retry_cap: 100ms }
";

fn write(out: &Out, text: &str) -> String {
    let file = out.path().join("config.yaml");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

/// Starts an endless run and waits until rows are in a file.
fn endless(out: &Out, env: &[(&str, &str)]) -> Program {
    let mut run = Program::start(out, env, &["run", "--config", &write(out, ENDLESS)]);
    run.wait_for("assigned");
    while out.lines("lines") == 0 {
        std::thread::yield_now();
    }
    run
}

fn a_bounded_run_drains_reports_and_exits_0() {
    let out = Out::new("bounded");
    let ended = program(&out, &[], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let settings =
        Settings { records: Some(5_000), partitions: 3, poison_ppm: 10_000, ..Settings::default() };
    let expected = Expected::of(&settings);
    assert_eq!(out.lines("lines") as u64, expected.orders, "{ended:?}");
    assert_eq!(out.lines("rejects") as u64, expected.rejects(), "{ended:?}");
    assert!(ended.stdout.starts_with("orders drained after "), "{}", ended.stdout);
    assert!(
        ended
            .stdout
            .ends_with("balance: every record is accounted for\n"),
        "{}",
        ended.stdout
    );
}

fn sinks_to_writes_the_rows_of_every_sink() {
    let out = Out::new("sinks-to");
    let dir = out.path().join("all");
    // The variables of texts need not be set where the sinks are not used.
    let args = ["run", &format!("--sinks-to={}", dir.display())];
    let ended = program(&out, &[("HANGS", "true")], &args);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(out.lines("all/lines"), out.lines("all/held"), "{ended:?}");
    assert!(out.lines("all/held") > 4_000, "{ended:?}");
    assert!(!out.path().join("lines").exists(), "the declared sink was not used");
}

fn the_first_signal_drains() {
    for signal in ["-TERM", "-INT"] {
        let out = Out::new("drains");
        let mut run = endless(&out, &[]);
        run.signal(signal);
        run.wait_for("draining; a second signal ends at once");
        let ended = run.end();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stdout.starts_with("orders drained after "), "{}", ended.stdout);
        assert!(ended.stdout.contains("every record is accounted for"), "{}", ended.stdout);
    }
}

fn r123_a_drain_past_its_deadline_exits_3() {
    let out = Out::new("deadline");
    let mut run = endless(&out, &[("HANGS", "true"), ("DRAIN_TIMEOUT", "1100ms")]);
    run.signal("-TERM");
    run.wait_for("draining");
    let ended = run.end();
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.stdout.contains("not drained: the deadline passed"), "{}", ended.stdout);
    assert!(ended.stdout.contains("every record is accounted for"), "{}", ended.stdout);
}

fn r123_a_second_signal_ends_at_once() {
    let out = Out::new("second");
    let mut run = endless(&out, &[("HANGS", "true"), ("DRAIN_TIMEOUT", "1h")]);
    run.signal("-TERM");
    run.wait_for("draining");
    run.signal("-TERM");
    let ended = run.end();
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(ended.stderr.contains("ending at once"), "{}", ended.stderr);
}

fn r129_a_port_that_is_taken_is_named() {
    let out = Out::new("port");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let config = ENDLESS.replace("admin: off", &format!("admin: \"{address}\""));
    let ended = program(&out, &[], &["--config", &write(&out, &config)]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended
            .stderr
            .contains(&format!("could not listen on `{address}`")),
        "{ended:?}"
    );
    assert!(ended.stderr.contains("help: set `pipeline.admin`"), "{ended:?}");
}

fn r134_a_secret_is_said_nowhere() {
    let out = Out::new("secret");
    let env = [("PASSWORD", "S3cr3t-zz9"), ("SPATE_LOG", "trace")];
    let ended = program(&out, &env, &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let wrong = ENDLESS.replace("hangs:", "password: [S3cr3t-zz9], hang:");
    let refused = program(&out, &env, &["--config", &write(&out, &wrong)]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("`held.password` is a list"), "{refused:?}");
    for said in [&ended.stdout, &ended.stderr, &refused.stdout, &refused.stderr] {
        assert!(!said.contains("S3cr3t-zz9"), "{said}");
    }
}

fn a_wrong_configuration_is_told_whole() {
    let out = Out::new("wrong");
    let wrong = "\
pipeline: { drain_timeout: 5 }
events: { partitons: 3 }
lines: { linger: 20ms }
held: {}
rejcts: { dir: x }
";
    let file = write(&out, wrong);
    let ended = program(&out, &[], &["run", "-c", &file]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.stdout, "");
    for line in [
        format!("error: {file}:1:28: `pipeline.drain_timeout` is `5` without a unit [P056]"),
        format!("error: {file}:2:11: unknown key `events.partitons` [P059]"),
        format!("error: {file}:3:1: key `lines.dir` is missing [P059]"),
        format!("error: {file}:5:1: section `rejcts` is for no declared name [P059]"),
        "  help: did you mean `partitions`?".to_owned(),
        "  help: did you mean `rejects`?".to_owned(),
    ] {
        assert!(
            ended.stderr.lines().any(|said| said == line),
            "{line} is not in\n{}",
            ended.stderr
        );
    }
}

fn a_log_in_json_has_json_lines_only() {
    let out = Out::new("json");
    let ended = program(&out, &[("LOG", "json")], &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""), "{ended:?}");
    let is_object = |line: &str| line.starts_with('{') && line.ends_with('}');
    assert!(ended.stderr.lines().all(is_object), "{}", ended.stderr);
    let last = ended.stderr.lines().last().unwrap();
    assert!(last.contains("\"exit_code\":0") && last.contains("accounted for"), "{last}");
}

fn check_says_whether_it_can_run() {
    let out = Out::new("check");
    let ended = program(&out, &[], &["check"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.ends_with("orders can run\n"), "{ended:?}");
    let file = out.path().join("file");
    std::fs::write(&file, "").unwrap();
    let ended = program(&out, &[("OUT", &file.display().to_string())], &["check"]);
    assert_eq!(ended.code, Some(1), "a folder below a file: {ended:?}");
    assert!(ended.stdout.ends_with("things are wrong\n"), "{ended:?}");
}

fn what_is_asked_for_is_on_standard_output() {
    let out = Out::new("asked");
    for (args, code, begins) in [
        (&["--help"][..], 0, "Runs the pipeline `orders`."),
        (&["--version"], 0, "orders (spate "),
        (&["graph"], 0, "orders\n\nchain copy\n  events: Datagen<Json<Order<'_>>>\n  .decode()"),
        (&["graph", "mermaid"], 0, "flowchart LR\n"),
        (&["graph", "dot"], 0, "digraph \"orders\" {\n"),
        (&["strat"], 2, ""),
    ] {
        let ended = program(&out, &[], args);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.stdout.starts_with(begins), "{ended:?}");
    }
}
