//! The admin server: `/metrics`, `/healthz`, `/readyz` over HTTP, on loopback unless told otherwise.
//!
//! A hundred lines of blocking sockets rather than a framework: three pages for a handful of
//! clients that GET and close, on threads of their own, so that neither a full I/O runtime nor a
//! blocked lane keeps a probe from its answer. Pure: `health.rs`, `http.rs`. Shell: `server.rs`.

pub mod health;
mod http;
mod server;

pub use server::{Admin, BindError, Exporter, Listening};
