//! Where boundaries part: the vertices that must stay, so that neighbours stay neighbours.
//!
//! ```text
//!        A  │  B          p is a node: of the boundaries through it, some go on to the
//!     ──────p──────       left and some down. q is none: everything that passes it comes
//!        C  │             from p and goes to r.
//!           q
//!           r
//! ```

use crate::grid::World;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The vertices of one layer with what passes through them.
///
/// A hash table that all threads fill at once. Which vertices are nodes does not depend on the
/// order of the calls. Needs 12 bytes for each slot, and 1.4 slots for each vertex.
pub struct Nodes {
    keys: Vec<AtomicU64>,
    passages: Vec<AtomicU32>,
}

/// A passage that fits no other: this vertex is a node.
const NODE: u32 = u32::MAX;

impl Nodes {
    /// Room for this many vertices, counted with repetition.
    pub fn with_capacity(vertices: usize) -> Self {
        let slots = vertices + vertices / 5 * 2 + 64;
        Self {
            keys: (0..slots).map(|_| AtomicU64::new(0)).collect(),
            passages: (0..slots).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// Records a line or ring. The ends of a line are nodes.
    pub fn pass(&self, path: &[World], ring: bool) {
        let n = path.len();
        for i in 0..n {
            let end = !ring && (i == 0 || i + 1 == n);
            let passage = if end { NODE } else { passage(path[(i + n - 1) % n], path[(i + 1) % n]) };
            self.record(path[i], passage);
        }
    }

    /// Whether boundaries part at this vertex.
    pub fn is_node(&self, vertex: World) -> bool {
        let slot = self.slot(vertex);
        self.passages[slot].load(Relaxed) == NODE
    }

    fn record(&self, vertex: World, passage: u32) {
        let slot = &self.passages[self.slot(vertex)];
        if let Err(other) = slot.compare_exchange(0, passage, Relaxed, Relaxed)
            && other != passage
        {
            slot.store(NODE, Relaxed);
        }
    }

    /// The slot of a vertex, taken now if it is new. There are more slots than vertices, so the
    /// search ends.
    fn slot(&self, vertex: World) -> usize {
        // Key 0 marks a free slot; adding one to the north-west corner's key moves it out of the way
        // of nothing but the point below it, which would at worst be taken for a node.
        let key = vertex.key().max(1);
        let slots = self.keys.len();
        let mut at = ((u128::from(mix(key)) * slots as u128) >> 64) as usize;
        loop {
            match self.keys[at].compare_exchange(0, key, Relaxed, Relaxed) {
                Ok(_) => return at,
                Err(found) if found == key => return at,
                Err(_) => at = if at + 1 == slots { 0 } else { at + 1 },
            }
        }
    }
}

/// What passes through a vertex, the same in both directions; never 0 or [`NODE`].
fn passage(before: World, after: World) -> u32 {
    let sum = mix(before.key()).wrapping_add(mix(after.key()));
    (sum >> 32) as u32 % (NODE - 1) + 1
}

/// Spreads a key over all 64 bits (the finaliser of `SplitMix64`).
const fn mix(key: u64) -> u64 {
    let key = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(points: &[(u32, u32)]) -> Vec<World> {
        points.iter().map(|&(x, y)| World { x, y }).collect()
    }

    #[test]
    fn nodes_of_two_squares_side_by_side() {
        // a ─ b ─ c     b and e are where the squares part; the middle m of their border is not.
        // │   m   │
        // d ─ e ─ f
        let left = path(&[(0, 0), (1, 0), (1, 1), (1, 2), (0, 2)]);
        let right = path(&[(1, 0), (2, 0), (2, 2), (1, 2), (1, 1)]);
        let nodes = Nodes::with_capacity(10);
        nodes.pass(&left, true);
        nodes.pass(&right, true);
        let found: Vec<_> = left.iter().chain(&right).filter(|&&p| nodes.is_node(p)).map(|p| (p.x, p.y)).collect();
        assert_eq!(found, [(1, 0), (1, 2), (1, 0), (1, 2)]);
    }

    #[test]
    fn lines_have_nodes_at_their_ends_and_crossings() {
        let nodes = Nodes::with_capacity(8);
        let (across, down) = (path(&[(0, 1), (1, 1), (2, 1)]), path(&[(1, 0), (1, 1), (1, 2), (1, 3)]));
        nodes.pass(&across, false);
        nodes.pass(&down, false);
        let found: Vec<bool> = across.iter().chain(&down).map(|&p| nodes.is_node(p)).collect();
        assert_eq!(found, [true, true, true, true, true, false, true]);
    }
}
