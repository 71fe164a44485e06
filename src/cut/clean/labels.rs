//! Who covers a face, and who may keep it.
//!
//! Moving shared borders keeps one thing as it was: in a coverage the winding numbers of all
//! polygons add up to one everywhere. Where two of them claim a face, a third one is turned
//! inside out there, and the face is a thin one:
//!
//! ```text
//!      A   A   A            the strip C between A and B is narrower than the grid: its
//!    ───╲  ___╱───  A|C     borders have crossed. Between the crossings A has winding +1,
//!    ____╳╱   ╲╳___ C|B     B +1 and C −1, which is 1 in all: one of A and B keeps it.
//!      B   B   B
//! ```
//!
//! Where polygons overlap in the source too, the sum says so, and all of them keep it.

use super::edges::Edge;
use crate::grid::Point;
use hashbrown::HashMap;

/// How often one polygon goes around a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Winding {
    polygon: u32,
    exterior: i32,
    hole: i32,
}

/// The number of a set of windings.
pub(super) type Label = u32;

/// Nobody covers the face.
pub(super) const OUTSIDE: Label = 0;

/// Faces wider than this many tile units are no artefact of rounding and simplifying.
const THIN: i64 = 6;

/// Sets of windings that came up, and where.
pub(super) struct Labels<'a> {
    /// The feature of each polygon.
    features: &'a [u32],
    numbers: HashMap<Vec<Winding>, Label>,
    sets: Vec<Vec<Winding>>,
    /// Twice the area and the length of the border of all faces with this label.
    sizes: Vec<(i64, i64)>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(features: &'a [u32]) -> Self {
        let numbers = HashMap::from([(Vec::new(), OUTSIDE)]);
        Self { features, numbers, sets: vec![Vec::new()], sizes: vec![(0, 0)] }
    }

    /// The label above edges of these polygons, when the one below is known.
    pub(super) fn step(&mut self, below: Label, edges: &[Edge]) -> Label {
        let mut set = self.sets[below as usize].clone();
        for edge in edges {
            match set.binary_search_by_key(&edge.polygon, |w| w.polygon) {
                Ok(i) => {
                    set[i].exterior += edge.exterior;
                    set[i].hole += edge.hole;
                    if set[i].exterior == 0 && set[i].hole == 0 {
                        set.remove(i);
                    }
                }
                Err(i) => {
                    set.insert(i, Winding { polygon: edge.polygon, exterior: edge.exterior, hole: edge.hole });
                }
            }
        }
        if let Some(&number) = self.numbers.get(&set) {
            return number;
        }
        let number = self.sets.len() as Label;
        self.sets.push(set.clone());
        self.sizes.push((0, 0));
        self.numbers.insert(set, number);
        number
    }

    /// Adds an edge to the borders of what lies beside it.
    pub(super) fn measure(&mut self, (start, end): (Point, Point), below: Label, above: Label) {
        let (dx, dy) = (i64::from(end.x) - i64::from(start.x), i64::from(end.y) - i64::from(start.y));
        let area = dx * (i64::from(start.y) + i64::from(end.y));
        let length = dx.abs().max(dy.abs());
        for (label, area) in [(below, area), (above, -area)] {
            let size = &mut self.sizes[label as usize];
            *size = (size.0 + area, size.1 + length);
        }
    }

    /// Whether some polygon is turned inside out here.
    pub(super) fn inverted(&self, label: Label) -> bool {
        self.sets[label as usize].iter().any(|w| w.exterior + w.hole < 0)
    }

    /// The features that keep a face, sorted.
    pub(super) fn owners(&self, label: Label) -> Vec<u32> {
        let set = &self.sets[label as usize];
        let of = |keep: &dyn Fn(&Winding) -> bool| {
            let mut features: Vec<u32> =
                set.iter().filter(|w| keep(w)).map(|w| self.features[w.polygon as usize]).collect();
            features.sort_unstable();
            features.dedup();
            features
        };
        let mut owners = of(&|w| w.exterior + w.hole > 0);
        if owners.is_empty() {
            // The wing of a bow-tie; but a hole by itself is nothing.
            return of(&|w| w.exterior < 0 && w.hole == 0);
        }
        if self.inverted(label) && self.is_thin(label) {
            let sum: i32 = set.iter().map(|w| w.exterior + w.hole).sum();
            owners.truncate(sum.max(1) as usize);
        }
        owners
    }

    fn is_thin(&self, label: Label) -> bool {
        let (area, border) = self.sizes[label as usize];
        area <= THIN * border
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who keeps a face with these windings (polygon, exterior, hole), the polygons 0 and 1 being
    /// feature 7, 2 feature 8, 3 feature 9.
    #[test]
    fn owners() {
        let check = |windings: &[(u32, i32, i32)], want: &[u32]| {
            let mut labels = Labels::new(&[7, 7, 8, 9]);
            let edge = |&(polygon, exterior, hole): &(u32, i32, i32)| Edge {
                start: Point::default(),
                end: Point::default(),
                polygon,
                exterior,
                hole,
            };
            let edges: Vec<Edge> = windings.iter().map(edge).collect();
            let label = labels.step(OUTSIDE, &edges);
            assert_eq!(labels.owners(label), want, "{windings:?}");
        };
        check(&[], &[]);
        check(&[(2, 1, 0)], &[8]);
        check(&[(2, 1, -1)], &[]);
        check(&[(0, 1, -1), (1, 1, 0)], &[7]);
        check(&[(0, 1, 0), (2, 1, 0)], &[7, 8]);
        check(&[(0, 1, 0), (2, 1, 0), (3, -1, 0)], &[7]);
        check(&[(0, 1, 0), (1, 1, 0), (2, 1, 0), (3, -1, 0)], &[7, 8]);
        check(&[(0, 1, 1), (2, -1, 0)], &[7]);
        check(&[(2, -1, 0)], &[8]);
        check(&[(2, 0, -1)], &[]);
        check(&[(0, 1, 0), (2, -1, 0)], &[7]);
    }
}
