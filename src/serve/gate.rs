//! Lets one request at a time into a connection's HTTP machinery.
//!
//! HTTP/1.1 clients may send requests without waiting for answers. The library reads such
//! requests ahead while an answer is still being made, and then writes that answer as if it
//! belonged to the request it read last: a `HEAD` read ahead takes the body off a `GET`, a
//! `Connection: close` on the last request closes after the first. So what follows a request is
//! held back here until its answer has been handed over whole.
//!
//! Costs a look for line ends in what is read, and nothing else as long as nobody pipelines.
//! Does not look into requests beyond the end of their heads.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A connection whose requests come one by one.
pub(super) struct Gate<S> {
    stream: S,
    shared: Rc<Shared>,
    head: Head,
    /// What came after the request that is being answered; never more than one read brought.
    held: Vec<u8>,
}

#[derive(Default)]
struct Shared {
    /// A request is being answered.
    busy: Cell<bool>,
    /// Everything may pass: a request had a body, so the connection will not be used again.
    open: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

/// The right to let the next request in.
#[derive(Clone)]
pub(super) struct Key(Rc<Shared>);

/// Lives as long as an answer is being made and sent; then the next request comes.
pub(super) struct Answering(Rc<Shared>);

impl<S> Gate<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, shared: Rc::default(), head: Head::default(), held: Vec::new() }
    }

    pub(super) fn key(&self) -> Key {
        Key(Rc::clone(&self.shared))
    }

    /// Keeps back what follows the end of a head in what `buffer` got since `before`.
    fn split(&mut self, buffer: &mut ReadBuf<'_>, before: usize) {
        let read = &buffer.filled()[before..];
        if self.shared.open.get() {
            return;
        }
        if let Some(end) = self.head.end(read) {
            self.held.extend_from_slice(&read[end..]);
            buffer.set_filled(before + end);
            self.shared.busy.set(true);
        }
    }

    fn hold(&self, cx: &Context<'_>) -> Poll<io::Result<()>> {
        *self.shared.waiting.borrow_mut() = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Key {
    /// A request came in. One with a body is the last: whatever is in the way of its end would
    /// have to be read, and nothing here wants a body.
    pub(super) fn answering(&self, has_body: bool) -> Answering {
        self.0.open.set(self.0.open.get() || has_body);
        Answering(Rc::clone(&self.0))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.busy.set(false);
        if let Some(waker) = self.0.waiting.borrow_mut().take() {
            waker.wake();
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gate<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let busy = self.shared.busy.get();
        if self.held.is_empty() {
            ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
            let read = &buffer.filled()[before..];
            if busy && !read.is_empty() {
                self.held.extend_from_slice(read);
                buffer.set_filled(before);
                return self.hold(cx);
            }
        } else if busy {
            return self.hold(cx);
        } else {
            let count = buffer.remaining().min(self.held.len());
            let rest = self.held.split_off(count);
            buffer.put_slice(&std::mem::replace(&mut self.held, rest));
        }
        let rest = std::mem::take(&mut self.held);
        self.split(buffer, before);
        self.held.extend(rest);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gate<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Looks for the empty line that ends a head, across any number of reads.
#[derive(Default)]
struct Head {
    /// A line with something in it was seen: empty lines before a request do not end it
    /// (RFC 9112, section 2.2).
    begun: bool,
    /// The line that is being read has something in it.
    line: bool,
}

impl Head {
    /// How many bytes belong to the head, when it ends in these.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut start = 0;
        for at in memchr::memchr_iter(b'\n', bytes) {
            self.line |= bytes[start..at].iter().any(|&b| b != b'\r');
            if self.begun && !self.line {
                *self = Self::default();
                return Some(at + 1);
            }
            self.begun |= self.line;
            self.line = false;
            start = at + 1;
        }
        self.line |= bytes[start..].iter().any(|&b| b != b'\r');
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heads_end_at_their_first_empty_line() {
        let check = |text: &str, end: Option<usize>| assert_eq!(Head::default().end(text.as_bytes()), end, "{text:?}");
        check("GET / HTTP/1.1\r\nA: b\r\n\r\n", Some(24));
        check("GET / HTTP/1.1\r\n\r\nGET", Some(18));
        check("GET / HTTP/1.1\n\nGET", Some(16));
        check("\r\n\r\nGET / HTTP/1.1\r\n\r\n", Some(22));
        check("\r\n\r\n\r\n", None);
        check("GET / HTTP/1.1\r\nA: b\r\n", None);
        check("", None);
    }

    proptest! {
        #[test]
        fn wherever_the_reads_end(text in "[a\r\n]{0,30}", cuts in prop::collection::vec(0usize..30, 0..6)) {
            let whole = Head::default().end(text.as_bytes());
            let mut cuts: Vec<_> = cuts.into_iter().map(|c| c.min(text.len())).chain([0, text.len()]).collect();
            cuts.sort_unstable();
            let mut head = Head::default();
            let found = cuts.windows(2).find_map(|w| head.end(&text.as_bytes()[w[0]..w[1]]).map(|end| w[0] + end));
            prop_assert_eq!(found, whole);
        }
    }
}
