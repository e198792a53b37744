//! P024: no `?` in a chain.
//!
//! Reported where the chain is read (`ast::chain`): the model has no place for a `?`. Inside of a
//! closure a `?` returns from the closure, which is what `try_map` is for.

use crate::report::Rule;

/// For `ast`, which reports it at the `?`.
pub(crate) const P024: Rule = Rule {
    code: "P024",
    help: "remove it and choose a policy: `.or_skip()`, `.or_stop()` or `.or_to(..)`",
};
