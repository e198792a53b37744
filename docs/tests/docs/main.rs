//! Holds the pages against the code: links, names, settings, rules.

mod markdown;
mod pages;
mod settings;
