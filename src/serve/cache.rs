//! Tiles in memory, and the one way to those that are not there.
//!
//! Responsible for reading each missing tile once however many ask for it, also when the first
//! of them goes away, and for a memory budget that is kept. What is not there is never kept:
//! a flood of requests for nothing leaves nothing behind.

use super::pool::{Pool, Refused};
use super::presence::Presence;
use super::readers::{Miss, Readers, unpack};
use super::snapshot::Served;
use super::timing::{Timing, timed};
use crate::store::Tag;
use crate::tile::{Encoding, TileCoord};
use actix_http::header::HeaderValue;
use actix_web::rt;
use bytes::Bytes;
use moka::future::Cache;
use moka::notification::RemovalCause;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// Hexadecimal digits of a tag.
const TAG_DIGITS: usize = 16;

/// What an entry costs beside its body and key: moka's entry and queue nodes, the shared
/// pointer, the tag's header value and the allocator's rounding.
const ENTRY_OVERHEAD: usize = 400;

/// One encoding of one tile, ready to be sent.
#[derive(Debug)]
pub(super) struct Representation {
    pub tag: Tag,
    /// How it came here.
    pub timing: Timing,
    pub etag: HeaderValue,
    pub body: Bytes,
}

/// Names a representation. The slot stands for tileset and version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    slot: u32,
    tile: TileCoord,
    encoding: Encoding,
}

/// The tiles of all versions.
pub(super) struct Tiles {
    hot: Cache<Key, Arc<Representation>, hashbrown::DefaultHashBuilder>,
    evictions: Arc<AtomicU64>,
    pub presence: Presence,
    pub pool: Pool,
}

/// How full the memory is.
pub(super) struct Usage {
    pub bytes: u64,
    pub budget: u64,
    pub entries: u64,
    pub evictions: u64,
}

impl Tiles {
    pub(super) fn new(budget: u64, pool: Pool) -> Self {
        let weigh = |_: &Key, v: &Arc<Representation>| {
            u32::try_from(v.body.len() + size_of::<Key>() + ENTRY_OVERHEAD).unwrap_or(u32::MAX)
        };
        let evictions = Arc::<AtomicU64>::default();
        let counted = Arc::clone(&evictions);
        let count = move |_, _, cause: RemovalCause| {
            if cause.was_evicted() {
                counted.fetch_add(1, Relaxed);
            }
        };
        let hot = Cache::builder().max_capacity(budget).weigher(weigh).eviction_listener(count);
        Self {
            hot: hot.build_with_hasher(hashbrown::DefaultHashBuilder::default()),
            evictions,
            presence: Presence::new(),
            pool,
        }
    }

    /// How full the memory is, after what the cache still has to note down.
    pub(super) async fn usage(&self) -> Usage {
        self.hot.run_pending_tasks().await;
        Usage {
            bytes: self.hot.weighted_size(),
            budget: self.hot.policy().max_capacity().unwrap_or(u64::MAX),
            entries: self.hot.entry_count(),
            evictions: self.evictions.load(Relaxed),
        }
    }

    /// A representation, if it is in memory.
    pub(super) async fn cached(&self, of: &Served, tile: TileCoord, encoding: Encoding) -> Option<Arc<Representation>> {
        self.hot.get(&Key { slot: of.slot, tile, encoding }).await
    }

    /// A representation that is not in memory.
    pub(super) async fn load(
        self: &Arc<Self>,
        of: &Arc<Served>,
        tile: TileCoord,
        encoding: Encoding,
    ) -> Result<Arc<Representation>, Miss> {
        let (tiles, of) = (Arc::clone(self), Arc::clone(of));
        let key = Key { slot: of.slot, tile, encoding };
        // A task of its own: when the client that asked first goes away, those who wait for the
        // same tile keep the read that is under way.
        let task = rt::spawn(async move { tiles.hot.try_get_with(key, tiles.read(&of, tile, encoding)).await });
        match task.await {
            Ok(Ok(found)) => Ok(found),
            Ok(Err(miss)) => Err(*miss),
            Err(_) => Err(Miss::Unreadable),
        }
    }

    /// The tag of a tile that is not in memory: one indexed row.
    pub(super) async fn tag(&self, of: &Arc<Served>, tile: TileCoord) -> Result<Tag, Miss> {
        let version = Arc::clone(of);
        self.look(of, tile, move |readers| readers.tag(&version, tile)).await
    }

    /// Has a reader look for a tile. When it finds none, it looks at the places around as well.
    async fn look<T: Send + 'static>(
        &self,
        of: &Arc<Served>,
        tile: TileCoord,
        look: impl FnOnce(&mut Readers) -> Result<T, Miss> + Send + 'static,
    ) -> Result<T, Miss> {
        let version = Arc::clone(of);
        let work = move |readers: &mut Readers| match look(readers) {
            Err(Miss::Empty) => (Err(Miss::Empty), readers.block(&version, tile).ok()),
            found => (found, None),
        };
        let (found, block) = self.pool.run(work).await?;
        if let Some(block) = block {
            self.presence.remember(of, tile, block).await;
        }
        found
    }

    async fn read(&self, of: &Arc<Served>, tile: TileCoord, encoding: Encoding) -> Result<Arc<Representation>, Miss> {
        let stored = match encoding {
            Encoding::Identity => self.cached(of, tile, Encoding::Gzip).await,
            Encoding::Gzip | Encoding::Brotli | Encoding::Zstd => None,
        };
        let version = Arc::clone(of);
        let asked = Instant::now();
        let work = move |readers: &mut Readers| {
            let mut timing = Timing { queue: asked.elapsed(), ..Timing::default() };
            let plain = encoding == Encoding::Identity;
            let source = if plain { Encoding::Gzip } else { encoding };
            let (tag, bytes) = match stored {
                Some(gzip) => (gzip.tag, gzip.body.clone()),
                None => timed(&mut timing.store, || readers.tile(&version, tile, source))?,
            };
            let body = if plain { timed(&mut timing.decompress, || unpack(&version, tile, &bytes))? } else { bytes };
            Ok(Arc::new(Representation { tag, timing, etag: etag(tag, encoding), body }))
        };
        self.look(of, tile, work).await
    }
}

impl From<Refused> for Miss {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Full => Self::Busy,
            Refused::Failed => Self::Unreadable,
        }
    }
}

/// The strong entity tag of one encoding of a tile.
pub(super) fn etag(tag: Tag, encoding: Encoding) -> HeaderValue {
    let text = format!("\"{tag}-{}\"", encoding.token());
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Whether a client's tag (quotes included) may be one of ours for this encoding.
pub(super) fn is_etag(tag: &[u8], encoding: Encoding) -> bool {
    let ours = tag.strip_suffix(b"\"").and_then(|t| t.strip_suffix(encoding.token().as_bytes()));
    ours.is_some_and(|t| t.len() == TAG_DIGITS + 2 && t.ends_with(b"-"))
}
