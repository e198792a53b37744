//! P065: the body of a pipeline's module is inline.
//!
//! Reported where the module is read (`ast`): an attribute on `mod orders;` does not see the file.

use crate::report::Rule;

/// For `ast`, which reports it at the module's name.
pub(crate) const P065: Rule = Rule {
    code: "P065",
    help: "write the module here, `mod orders { .. }`, or put `#[pipeline]` on a module inside the file",
};
