//! Where there is something to look at: found by asking for tiles, from the smallest zoom down.

use super::error::Error;
use super::random::Random;
use super::target::Target;
use crate::tile::TileCoord;

/// Tiles that are asked for at each zoom: enough for some hundred places, over in a second.
const SAMPLES: usize = 160;

/// The tiles with data at the deepest zoom that has any, in an order of chance; each is a place.
#[derive(Debug)]
pub(super) struct Places {
    pub list: Vec<TileCoord>,
    /// Tiles that were asked for.
    pub asked: usize,
}

/// Looks for places: of the tiles at the smallest zoom, and then of the children of those
/// with data, a sample is asked for.
pub(super) fn find(target: &Target, encoding: &str, seed: u64) -> Result<Places, Error> {
    let mut random = Random::fork(seed, u64::MAX);
    let mut client = target.client(encoding);
    let mut places = Places { list: Vec::new(), asked: 0 };
    let mut candidates = first(target.minzoom, &mut random);
    for zoom in target.minzoom..=target.maxzoom {
        let mut found = Vec::new();
        for tile in candidates {
            places.asked += 1;
            let path = target.path(tile);
            let answer = client.get(&path, None).map_err(|source| Error::Read { url: target.template(), source })?;
            if answer.status == 200 && answer.bytes > 0 {
                found.push(tile);
            }
        }
        if found.is_empty() {
            break;
        }
        candidates = if zoom < target.maxzoom {
            sample(found.iter().flat_map(children).collect(), &mut random)
        } else {
            Vec::new()
        };
        places.list = found;
    }
    if places.list.is_empty() {
        return Err(Error::NoData { url: target.template(), asked: places.asked });
    }
    random.shuffle(&mut places.list);
    Ok(places)
}

/// All tiles of a zoom if they are few, else some.
fn first(zoom: u8, random: &mut Random) -> Vec<TileCoord> {
    let side = 1_u32 << zoom;
    if zoom <= 4 {
        let all = (0..side).flat_map(|x| (0..side).map(move |y| (x, y)));
        return sample(all.filter_map(|(x, y)| TileCoord::new(zoom, x, y).ok()).collect(), random);
    }
    let mut one = || TileCoord::new(zoom, random.below(side as usize) as u32, random.below(side as usize) as u32).ok();
    (0..SAMPLES).filter_map(|_| one()).collect()
}

fn sample(mut tiles: Vec<TileCoord>, random: &mut Random) -> Vec<TileCoord> {
    random.shuffle(&mut tiles);
    tiles.truncate(SAMPLES);
    tiles
}

fn children(tile: &TileCoord) -> impl Iterator<Item = TileCoord> + use<> {
    let tile = *tile;
    let child = move |(dx, dy)| TileCoord::new(tile.z() + 1, 2 * tile.x() + dx, 2 * tile.y() + dy).ok();
    [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().filter_map(child)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_to_begin() {
        let mut random = Random::new(1);
        for (zoom, count) in [(0, 1), (1, 4), (3, 64), (4, SAMPLES), (5, SAMPLES), (30, SAMPLES)] {
            let tiles = first(zoom, &mut random);
            assert_eq!(tiles.len(), count, "{zoom}");
            assert!(tiles.iter().all(|tile| tile.z() == zoom));
        }
    }

    #[test]
    fn children_are_the_four_below() {
        let all: Vec<_> = children(&TileCoord::new(1, 1, 0).unwrap()).map(|t| (t.z(), t.x(), t.y())).collect();
        assert_eq!(all, [(2, 2, 0), (2, 3, 0), (2, 2, 1), (2, 3, 1)]);
        assert_eq!(children(&TileCoord::new(30, 0, 0).unwrap()).count(), 0);
    }
}
