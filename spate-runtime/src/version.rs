//! P068: what the macro writes fits the runtime it is compiled with. `const`.
//!
//! The crates are released together and name each other by exact versions; a patched dependency
//! or a renamed facade can bring two releases together all the same.

use crate::line::Line;

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Refuses code of a macro of another version.
///
/// # Panics
///
/// In a constant, with both versions: if they differ.
#[track_caller]
pub const fn assert_same_version(macros: &str, runtime: &str) {
    if !crate::config::nearest::same(macros, runtime) {
        let text = Line::new()
            .push("code of spate-macros ")
            .push(macros)
            .push(" does not fit spate-runtime ")
            .push(runtime)
            .push(" [P068]\nhelp: bring the crates of spate to one version, `cargo tree -i spate-macros` \
                   shows who wants which");
        panic!("{}", text.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_version_is_taken() {
        assert_same_version(VERSION, VERSION);
    }

    #[test]
    #[should_panic(expected = "code of spate-macros 0.1.0 does not fit spate-runtime 0.2.0 [P068]")]
    fn another_version_is_refused_with_both() {
        assert_same_version("0.1.0", "0.2.0");
    }
}
