//! The program behind `orders::main()`.

use std::process::ExitCode;

use spate_runtime::config::Config;
use spate_runtime::pipeline::{Definition, Outcome};

use crate::pipeline::Pipeline;

/// Runs `D` with the configuration compiled in, until its source has ended.
#[must_use]
pub fn main<D: Definition>() -> ExitCode {
    let config = match D::CONFIG {
        None => Ok(Config::empty()),
        Some((file, text)) => Config::parse(file, text, &|name| std::env::var(name).ok()),
    };
    let Ok(Ok(running)) = config.map(Pipeline::new::<D>).map(Pipeline::start) else {
        return ExitCode::from(2);
    };
    match running.wait().outcome {
        Outcome::Drained => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
