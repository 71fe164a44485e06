//! Why an origin does not start.

use super::config::Unfit;
use crate::tileset;
use std::net::SocketAddr;

/// An origin that cannot run. Whatever goes wrong with one request is answered to that request.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting makes no sense.
    #[error(transparent)]
    Config(#[from] Unfit),
    /// The store cannot be read.
    #[error("cannot read the store")]
    Store {
        /// What is wrong with it.
        #[source]
        source: tileset::Error,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}\n  hint: is another program using the port?")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// The system gives no more threads.
    #[error("cannot start a thread")]
    Thread {
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
    /// The server broke off.
    #[error("the server stopped")]
    Server {
        /// The system's own words.
        #[source]
        source: std::io::Error,
    },
}

impl Error {
    /// Whether somebody else listens at the address.
    pub fn is_address_in_use(&self) -> bool {
        matches!(self, Self::Listen { source, .. } if source.kind() == std::io::ErrorKind::AddrInUse)
    }

    pub(super) fn store(source: tileset::Error) -> Self {
        Self::Store { source }
    }
}
