//! Holds the pages against the code: links, names, codes, rules, examples, settings.

mod accepted;
mod codes;
mod errors;
mod examples;
mod markdown;
mod mistakes;
mod pages;
mod settings;
