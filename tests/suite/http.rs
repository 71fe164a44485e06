//! The origin over real sockets: every row of the contract's HTTP table that is built.

pub mod client;
mod documents;
mod encodings;
pub mod fixture;
mod following;
mod load;
mod tiles;
mod watching;
