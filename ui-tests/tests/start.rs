//! A start says of a configuration what a build says: the same words, from the same file.

use std::fs;
use std::path::PathBuf;

use spate::{Config, Pipeline, PipelineError};

/// The declarations of the fixtures, without a file: it is given at start.
mod declared {
    use spate::prelude::*;
    use ui_tests::*;

    #[pipeline]
    pub(crate) mod keyed {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink(key = id)]
        fn lines() -> Table<Line<'_>>;

        chain!({ events.decode().or_skip().map(line).to(lines) });
    }

    #[pipeline]
    pub(crate) mod unkeyed {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!({ events.decode().or_skip().map(line).to(lines) });
    }

    #[pipeline]
    pub(crate) mod diverting {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink(key = id)]
        fn lines() -> Table<Line<'_>>;

        #[sink]
        fn rejects() -> Table<DeadLetter<'_>>;

        chain!({ events.decode().or_to(rejects).map(line).to(lines) });
    }

    #[pipeline]
    pub(crate) mod fanning_out {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!({
            events
                .decode()
                .or_skip()
                .flat_map(
                    #[op(fan_out = 10_000_000)]
                    |order| [line(order)],
                )
                .to(lines)
        });
    }

    #[pipeline]
    pub(crate) mod fanning_out_twice {
        use super::*;

        #[source]
        fn events() -> Feed<Plain<Order<'_>>>;

        #[sink]
        fn lines() -> Table<Line<'_>>;

        chain!({
            events
                .decode()
                .or_skip()
                .flat_map(
                    #[op(fan_out = 8192)]
                    |order| [order],
                )
                .flat_map(
                    #[op(fan_out = 8192 / 2)]
                    |order| [line(order)],
                )
                .named("lines_of")
                .to(lines)
        });
    }
}

/// A fixture that names a file, with what the compiler says of it.
struct Fixture {
    name: String,
    /// The file as the fixture names it.
    file: String,
    program: String,
    answer: String,
}

fn fixtures() -> Vec<Fixture> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = root
        .join("fail")
        .read_dir()
        .expect("a folder of this package");
    let programs = folder
        .map(|entry| entry.expect("an entry of it").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "rs"));
    let mut fixtures: Vec<Fixture> = programs
        .filter_map(|path| {
            let program = fs::read_to_string(&path).expect("a file of text");
            let (_, rest) = program.split_once("config = \"")?;
            let file = rest.split_once('"')?.0.to_owned();
            // Its own connector is not declared here.
            let foreign = program.contains("SinkConnector for");
            let answer = fs::read_to_string(path.with_extension("stderr")).expect("an answer");
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (!foreign && name.starts_with('p')).then_some(Fixture { name, file, program, answer })
        })
        .collect();
    fixtures.sort_by(|a, b| a.name.cmp(&b.name));
    fixtures
}

impl Fixture {
    /// What the compiler says about the file, a line for a line; of warnings, nothing.
    fn said_by_the_build(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut inside = false;
        for line in self.answer.lines() {
            let begins = line
                .strip_prefix("error[E0080]: evaluation panicked: ")
                .or_else(|| {
                    line.strip_prefix("error: ")
                        .filter(|line| line.starts_with(&self.file))
                });
            inside = begins.is_some() || (inside && !line.trim_start().starts_with("-->"));
            if inside {
                lines.push(begins.unwrap_or(line).trim().to_owned());
            }
        }
        lines
    }

    fn said_by_the_start(&self) -> Vec<String> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures")
            .join(PathBuf::from(&self.file).file_name().expect("a name"));
        let text = fs::read_to_string(&path).expect("a file of text");
        let errors = match Config::parse(&self.file, &text, &|_| None) {
            Err(errors) => errors,
            Ok(config) => match self.pipeline(config).check() {
                Err(PipelineError::Config(errors)) => errors,
                other => panic!("{}: {other:?}", self.name),
            },
        };
        let said = errors.to_string();
        said.lines().map(|line| line.trim().to_owned()).collect()
    }

    fn pipeline(&self, config: Config) -> Pipeline {
        if self.program.contains("fan_out = PARTS") {
            declared::fanning_out_twice::pipeline(config)
        } else if self.program.contains("fan_out") {
            declared::fanning_out::pipeline(config)
        } else if self.program.contains("rejects()") {
            declared::diverting::pipeline(config)
        } else if self.program.contains("key = id") {
            declared::keyed::pipeline(config)
        } else {
            declared::unkeyed::pipeline(config)
        }
    }
}

#[test]
fn a_start_says_of_a_file_what_the_build_says() {
    let mut compared = 0;
    for fixture in fixtures() {
        let build = fixture.said_by_the_build();
        if build.is_empty() || fixture.name == "p059-no-such-file" {
            continue;
        }
        let start = fixture.said_by_the_start();
        // A start goes on to its connectors; these have their say behind the check.
        let same = start.get(..build.len()).unwrap_or(&start);
        assert_eq!(same, build, "{}", fixture.name);
        compared += 1;
    }
    assert!(compared >= 20, "only {compared} fixtures name a file that is refused");
}

/// The reasons of the file system, in the same words.
#[test]
fn a_start_says_of_a_file_that_is_not_there_what_the_build_says() {
    let fixtures = fixtures();
    let fixture = fixtures
        .iter()
        .find(|fixture| fixture.name == "p059-no-such-file")
        .unwrap();
    let build = fixture.said_by_the_build();
    let start = Config::load(&fixture.file).unwrap_err().to_string();
    assert_eq!(start.lines().next(), build.first().map(String::as_str));
}
