//! The socket as hyper wants it.
//!
//! Writes pass through, vectored ones included. Reads go over a small buffer on the stack: answers
//! to inserts are a few hundred bytes, and it keeps this file free of `unsafe`.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::ReadBufCursor;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A connected socket.
#[derive(Debug)]
pub(crate) enum Socket {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<tokio_rustls::client::TlsStream<TcpStream>>),
}

macro_rules! delegate {
    ($self:ident, $socket:ident => $call:expr) => {
        match $self.get_mut() {
            Socket::Plain(socket) => {
                let $socket = Pin::new(socket);
                $call
            }
            #[cfg(feature = "tls")]
            Socket::Tls(socket) => {
                let $socket = Pin::new(&mut **socket);
                $call
            }
        }
    };
}

impl hyper::rt::Read for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut space = [0; 8 << 10];
        let room = buf.remaining().min(space.len());
        let mut read = ReadBuf::new(&mut space[..room]);
        ready!(delegate!(self, socket => socket.poll_read(cx, &mut read)))?;
        buf.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl hyper::rt::Write for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        delegate!(self, socket => socket.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        delegate!(self, socket => socket.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(socket) => socket.is_write_vectored(),
            #[cfg(feature = "tls")]
            Self::Tls(socket) => socket.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        delegate!(self, socket => socket.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        delegate!(self, socket => socket.poll_shutdown(cx))
    }
}
