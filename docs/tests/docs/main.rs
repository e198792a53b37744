//! Holds the pages against the code: links, names, codes, settings.

mod codes;
mod examples;
mod markdown;
mod pages;
mod settings;
