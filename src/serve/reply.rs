//! An answer, and its body on the way out.

use super::gate::Answering;
use actix_http::Response;
use actix_http::body::{BodySize, MessageBody};
use bytes::Bytes;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// An answer before it is sent; without a body it also has no `Content-Length`.
pub(super) type Reply = Response<Option<Bytes>>;

/// A body that lets the next request in when it has been handed over.
pub(super) struct Sending {
    bytes: Option<Bytes>,
    handed_over: bool,
    _answering: Option<Answering>,
}

impl Sending {
    pub(super) fn new(bytes: Option<Bytes>, answering: Option<Answering>) -> Self {
        Self { bytes, handed_over: false, _answering: answering }
    }
}

impl MessageBody for Sending {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.bytes.as_ref().map_or(BodySize::None, |bytes| BodySize::Sized(bytes.len() as u64))
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        let first = !std::mem::replace(&mut self.handed_over, true);
        Poll::Ready(self.bytes.take().filter(|bytes| first && !bytes.is_empty()).map(Ok))
    }
}
