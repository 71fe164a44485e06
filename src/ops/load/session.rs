//! People at maps: which tiles they ask for, one after the other.
//!
//! A session zooms in on a place, pans about there, not far from it, and perhaps zooms out again; then comes the
//! next one. A map asks only for tiles it has not shown in this session.
//!
//! ```text
//!  view at zoom z, 2 × 1.5 tiles (1024 × 768 pixels, tiles of 512)
//!  +---+---+---+       pan: half a view in about the same direction as before,
//!  |   | . | . |       so the dots are new
//!  +---+---+---+
//!  |   | . | . |
//!  +---+---+---+
//! ```

use super::random::Random;
use super::zipf::Zipf;
use crate::tile::TileCoord;
use std::collections::{HashSet, VecDeque};

/// Half of a view, in tiles.
const HALF: [f64; 2] = [1.0, 0.75];

/// How far from its place a view's middle goes before it turns back, in tiles: people look around
/// a place, they do not wander off.
const LEASH: f64 = 1.0;

/// How unequal places are: 1 is what traces of web caches and map servers show.
pub(super) const EXPONENT: f64 = 1.0;

/// What all sessions share.
#[derive(Debug)]
pub(super) struct World {
    pub minzoom: u8,
    /// Most popular first; at least one.
    pub places: Vec<TileCoord>,
    pub popularity: Zipf,
}

/// One person after the other at one client; never ends.
#[derive(Debug)]
pub(super) struct Sessions<'w> {
    world: &'w World,
    random: Random,
    seen: HashSet<TileCoord>,
    next: VecDeque<TileCoord>,
    /// Moves of this session that are still to come.
    moves: VecDeque<Move>,
    /// The middle of the view in the unit square, north-west (0, 0).
    middle: [f64; 2],
    /// Where the place is, in the unit square.
    place: [f64; 2],
    zoom: u8,
    heading: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Move {
    Zoom(u8),
    Pan,
}

impl<'w> Sessions<'w> {
    pub(super) fn new(world: &'w World, random: Random) -> Self {
        let (seen, next, moves) = (HashSet::new(), VecDeque::new(), VecDeque::new());
        Self { world, random, seen, next, moves, middle: [0.5; 2], place: [0.5; 2], zoom: 0, heading: 0.0 }
    }

    /// The next tile that somebody asks for.
    pub(super) fn tile(&mut self) -> TileCoord {
        loop {
            if let Some(tile) = self.next.pop_front() {
                return tile;
            }
            match self.moves.pop_front() {
                None => self.begin(),
                Some(Move::Zoom(zoom)) => self.zoom = zoom,
                Some(Move::Pan) => self.pan(),
            }
            self.look();
        }
    }

    /// Somebody new opens the map a few zooms above what they want to see.
    fn begin(&mut self) {
        let place = self.world.places[self.world.popularity.draw(&mut self.random)];
        let side = f64::from(place.z()).exp2();
        self.middle = [(f64::from(place.x()) + 0.5) / side, (f64::from(place.y()) + 0.5) / side];
        self.place = self.middle;
        self.heading = self.random.unit() * std::f64::consts::TAU;
        self.seen.clear();
        let wanted = place.z().saturating_sub(self.random.below(4) as u8).max(self.world.minzoom);
        self.zoom = wanted.saturating_sub(self.random.below(5) as u8).max(self.world.minzoom);
        self.moves.extend((self.zoom..wanted).map(|zoom| Move::Zoom(zoom + 1)));
        self.moves.extend(std::iter::repeat_n(Move::Pan, self.random.below(7)));
        if self.random.below(3) == 0 && wanted > self.world.minzoom {
            self.moves.push_back(Move::Zoom(wanted - 1));
        }
    }

    fn pan(&mut self) {
        self.heading += (self.random.unit() - 0.5) * 1.5;
        let side = f64::from(self.zoom).exp2();
        let back = [self.place[0] - self.middle[0], self.place[1] - self.middle[1]];
        if back.iter().any(|way| way.abs() * side > LEASH) {
            self.heading = back[1].atan2(back[0]);
        }
        self.middle[0] = (self.middle[0] + self.heading.cos() * HALF[0] / side).rem_euclid(1.0);
        self.middle[1] = (self.middle[1] + self.heading.sin() * HALF[1] / side).clamp(0.0, 1.0);
    }

    /// Queues what the view needs and this session has not seen, from west to east; a map goes
    /// on around the world but not beyond the poles.
    fn look(&mut self) {
        let side = 1_i64 << self.zoom;
        let [x, y] = self.middle.map(|m| m * side as f64);
        for row in ((y - HALF[1]).floor() as i64).max(0)..=((y + HALF[1]).floor() as i64).min(side - 1) {
            for column in (x - HALF[0]).floor() as i64..=(x + HALF[0]).floor() as i64 {
                let tile = TileCoord::new(self.zoom, column.rem_euclid(side) as u32, row as u32);
                self.next.extend(tile.ok().filter(|&tile| self.seen.insert(tile)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn world(minzoom: u8, places: &[(u8, u32, u32)]) -> World {
        let places: Vec<_> = places.iter().map(|&(z, x, y)| TileCoord::new(z, x, y).unwrap()).collect();
        World { minzoom, popularity: Zipf::new(places.len(), EXPONENT), places }
    }

    #[test]
    fn a_view_in_the_middle_at_the_edges_and_of_the_whole_world() {
        let check = |middle, zoom, expected: &[(u32, u32)]| {
            let world = world(0, &[(0, 0, 0)]);
            let mut sessions = Sessions::new(&world, Random::new(1));
            (sessions.middle, sessions.zoom) = (middle, zoom);
            sessions.look();
            let tiles: Vec<_> = sessions.next.iter().map(|t| (t.x(), t.y())).collect();
            assert_eq!(tiles, expected, "{middle:?} {zoom}");
            sessions.next.clear();
            sessions.look();
            assert!(sessions.next.is_empty(), "the same view asks for nothing new");
        };
        check([0.5, 0.5], 0, &[(0, 0)]);
        check([0.5, 0.5], 1, &[(0, 0), (1, 0), (0, 1), (1, 1)]);
        check([5.5 / 16.0, 5.5 / 16.0], 4, &[(4, 4), (5, 4), (6, 4), (4, 5), (5, 5), (6, 5), (4, 6), (5, 6), (6, 6)]);
        check([0.5 / 16.0, 0.0], 4, &[(15, 0), (0, 0), (1, 0)]);
        check([0.5 / 16.0, 1.0], 4, &[(15, 15), (0, 15), (1, 15)]);
    }

    #[test]
    fn the_same_seed_walks_the_same_way_inside_the_zooms() {
        let world = world(2, &[(6, 33, 22), (6, 0, 63), (3, 1, 1)]);
        let walk = |seed| {
            let mut sessions = Sessions::new(&world, Random::new(seed));
            (0..5000).map(|_| sessions.tile()).collect::<Vec<_>>()
        };
        assert_eq!(walk(1), walk(1));
        assert_ne!(walk(1), walk(2));
        assert!(walk(1).iter().all(|tile| (2..=6).contains(&tile.z())));
    }

    #[test]
    fn few_tiles_get_most_requests() {
        let places: Vec<_> = (0..100).map(|i| (10, 10 * i, 7 * i)).collect();
        let world = world(0, &places);
        let mut sessions = Sessions::new(&world, Random::new(1));
        let mut counts = HashMap::new();
        for _ in 0..50_000 {
            *counts.entry(sessions.tile()).or_insert(0) += 1;
        }
        let mut counts: Vec<i32> = counts.into_values().collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let top: i32 = counts[..counts.len() / 10].iter().sum();
        assert!((25_000..49_000).contains(&top), "the first tenth of {} tiles gets {top}", counts.len());
    }
}
