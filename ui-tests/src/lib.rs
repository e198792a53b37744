//! What the compiler says to a user who got it wrong.
