//! The origin over real sockets: every row of the contract's HTTP table that is built.

mod client;
mod documents;
mod encodings;
mod fixture;
mod following;
mod load;
mod tiles;
mod watching;
