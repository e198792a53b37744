//! P032: operators do not block.
//!
//! A lane thread runs many lanes, one record at a time: what waits in an operator stalls all of
//! them, and heartbeats behind it.

use super::scan::{self, Call, Into};
use crate::model::Pipeline;
use crate::report::{Report, Rule};

const BLOCKING: Rule = Rule { code: "P032", help: "" };

const PATHS: [&str; 40] = [
    "std::thread::sleep",
    "std::thread::park",
    "std::thread::yield_now",
    "std::fs::read",
    "std::fs::read_to_string",
    "std::fs::read_dir",
    "std::fs::write",
    "std::fs::copy",
    "std::fs::rename",
    "std::fs::remove_file",
    "std::fs::create_dir",
    "std::fs::create_dir_all",
    "std::fs::metadata",
    "std::fs::exists",
    "std::fs::File::open",
    "std::fs::File::create",
    "std::fs::File::create_new",
    "std::fs::File::options",
    "std::fs::OpenOptions::new",
    "std::io::stdin",
    "std::net::TcpStream::connect",
    "std::net::TcpListener::bind",
    "std::net::UdpSocket::bind",
    "std::process::Command::new",
    "reqwest::blocking::get",
    "reqwest::blocking::Client::new",
    "reqwest::blocking::Client::builder",
    "ureq::get",
    "ureq::post",
    "ureq::put",
    "ureq::delete",
    "ureq::request",
    "futures::executor::block_on",
    "futures_executor::block_on",
    "futures_lite::future::block_on",
    "pollster::block_on",
    "async_std::task::block_on",
    "smol::block_on",
    "tokio::task::block_in_place",
    "tokio::runtime::Runtime::new",
];
/// Methods that wait, where they take nothing; `block_on` takes a future.
const METHODS: [&str; 5] =
    ["recv", "blocking_recv", "blocking_lock", "blocking_read", "blocking_write"];

/// Reports each call that waits for the world, at its name.
///
/// A lock is P042's: what contends is that it is shared.
pub(super) fn check(pipeline: &Pipeline, report: &mut Report) {
    let scope = &pipeline.scope;
    for operator in scan::operators(pipeline) {
        if operator.allow.blocking {
            continue;
        }
        operator.each(scope, report, |call, report| {
            let found = match call {
                Call::Method { name, args, .. } => {
                    let text = name.to_string();
                    let waits = (METHODS.contains(&text.as_str()) && args.is_empty())
                        || (text == "block_on" && !args.is_empty());
                    (waits && !scope.has_function(&text)).then_some((*name, text))
                }
                Call::Path { last, path } => PATHS
                    .iter()
                    .any(|known| path.is(known))
                    .then(|| (*last, path.short())),
                Call::Macro { .. } => None,
            };
            let Some((name, what)) = found else { return Into::Arguments };
            report.push_with(
                name.span(),
                &BLOCKING,
                format!("`{what}` stalls every record of this lane"),
                format!(
                    "read it from a `#[lookup]`, move the I/O to a sink, or {}",
                    operator.hatch("blocking")
                ),
            );
            Into::Arguments
        });
    }
}
