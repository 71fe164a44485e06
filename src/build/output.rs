//! Bytes into the file: equal tiles once, compression in parallel, one writer in order.

use super::Error;
use super::report::{BigTile, Report, ZoomReport};
use super::tile::Cut;
use crate::store::{self, ContentHash, Metadata, Writer};
use crate::tile::{Encoding, TileCoord};
use hashbrown::HashMap;
use rayon::prelude::*;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Batches that may wait for the writer.
const WAITING: usize = 4;

/// The largest tiles that a report names.
const BIGGEST: usize = 10;

/// One tile on its way to the writer; without bytes when the file has them already.
type Row = (TileCoord, ContentHash, Option<Packed>);

/// A tile's bytes in every encoding of the tileset.
struct Packed {
    gzip: Vec<u8>,
    further: Vec<(Encoding, Vec<u8>)>,
}

/// Takes cut tiles in the order of the file.
pub(super) struct Output {
    to_writer: SyncSender<Vec<Row>>,
    writer: Option<JoinHandle<Result<Writer, store::Error>>>,
    /// Compressed size of every content so far.
    sizes: HashMap<ContentHash, u32>,
    /// Encodings beside gzip, and the bytes that were written in each.
    further: Vec<(Encoding, u64)>,
    biggest: Vec<BigTile>,
    pub tiles: u64,
}

impl Output {
    /// Starts a file whose tiles are there in these encodings, gzip among them.
    pub(super) fn create(path: &Path, encodings: &[Encoding]) -> Result<Self, Error> {
        let mut writer = Writer::create(path)?;
        let further: Vec<_> = encodings.iter().copied().filter(|&e| e != Encoding::Gzip).collect();
        writer.add_encodings(&further)?;
        let further = further.into_iter().map(|e| (e, 0)).collect();
        let (to_writer, batches) = sync_channel(WAITING);
        let writer = Some(std::thread::spawn(move || write(writer, &batches)));
        Ok(Self { to_writer, writer, sizes: HashMap::new(), further, biggest: Vec::new(), tiles: 0 })
    }

    /// Compresses what is new in a batch and hands it to the writer.
    pub(super) fn put(&mut self, batch: Vec<Cut>, report: &mut ZoomReport) -> Result<(), Error> {
        let mut new: Vec<bool> = Vec::with_capacity(batch.len());
        for tile in &batch {
            new.push(!self.sizes.contains_key(&tile.hash));
            self.sizes.entry(tile.hash).or_insert(0);
        }
        let further = &self.further;
        let pack = |(tile, &new): (&Cut, &bool)| new.then(|| Packed::of(&tile.bytes, further)).transpose();
        let packed: Vec<Option<Packed>> = batch.par_iter().zip(&new).map(pack).collect::<Result<_, _>>()?;
        for (tile, packed) in batch.iter().zip(&packed) {
            if let Some(packed) = packed {
                self.sizes.insert(tile.hash, packed.gzip.len() as u32);
                self.further.iter_mut().zip(&packed.further).for_each(|(sum, (_, bytes))| sum.1 += bytes.len() as u64);
            }
        }
        for tile in &batch {
            self.count(tile, report);
        }
        let rows = batch.into_iter().zip(packed).map(|(tile, packed)| (tile.coord, tile.hash, packed)).collect();
        // A writer that has given up has dropped its end.
        if self.to_writer.send(rows).is_err() { self.join().map(drop) } else { Ok(()) }
    }

    /// Waits for the writer, who may have something to say.
    fn join(&mut self) -> Result<Writer, Error> {
        let ended_early = || Error::Threads("the writer ended early".into());
        let writer = self.writer.take().ok_or_else(ended_early)?;
        Ok(writer.join().map_err(|_| ended_early())??)
    }

    fn count(&mut self, tile: &Cut, report: &mut ZoomReport) {
        let bytes = u64::from(self.sizes[&tile.hash]);
        self.tiles += 1;
        report.tiles += 1;
        report.bytes += bytes;
        report.largest = report.largest.max(bytes);
        if self.biggest.len() < BIGGEST || self.biggest.last().is_some_and(|b| b.bytes < bytes) {
            self.biggest.push(BigTile { bytes, tile: tile.coord.to_string(), features: tile.features });
            self.biggest.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.tile.cmp(&b.tile)));
            self.biggest.truncate(BIGGEST);
        }
    }

    /// Waits for the writer and completes the file; `metadata` is made from the finished report.
    pub(super) fn finish(
        mut self,
        report: &mut Report,
        metadata: impl FnOnce(&Report) -> Metadata,
    ) -> Result<(), Error> {
        // The writer ends when nobody can send any more.
        drop(std::mem::replace(&mut self.to_writer, sync_channel(0).0));
        let writer = self.join()?;
        report.biggest = self.biggest;
        report.tiles = self.tiles;
        report.distinct = self.sizes.len() as u64;
        report.bytes = self.sizes.values().map(|&n| u64::from(n)).sum();
        report.encoded = self.further.iter().map(|(encoding, bytes)| (encoding.token(), *bytes)).collect();
        let summary = writer.finish(&metadata(report))?;
        report.digest = summary.digest.to_string();
        Ok(())
    }
}

impl Packed {
    fn of(bytes: &[u8], further: &[(Encoding, u64)]) -> Result<Self, Error> {
        let pack = |&(encoding, _): &(Encoding, u64)| Ok((encoding, store::encode(encoding, bytes)?));
        let further = further.iter().map(pack).collect::<Result<_, String>>().map_err(Error::Compress)?;
        Ok(Self { gzip: store::gzip(bytes), further })
    }
}

fn write(mut writer: Writer, batches: &Receiver<Vec<Row>>) -> Result<Writer, store::Error> {
    for batch in batches {
        for (coord, hash, packed) in batch {
            writer.put(coord, hash, packed.as_ref().map(|p| p.gzip.as_slice()))?;
            for (encoding, bytes) in packed.iter().flat_map(|p| &p.further) {
                writer.put_encoded(*encoding, bytes)?;
            }
        }
    }
    Ok(writer)
}
