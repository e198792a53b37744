//! The pages of the guide, so that their code compiles; what they say is held against the code in
//! `tests/`.
