//! Flat storage of multi-part geometry: one list of positions and the ends of its pieces.

/// What a geometry is made of; the multi forms are the same with more parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Points: every position is one.
    Point,
    /// Lines: every path is one.
    Line,
    /// Polygons: every group of paths is one, the exterior ring first, then its holes.
    Polygon,
}

/// A (multi-)geometry in one space `P`, without an allocation per part.
///
/// ```text
/// positions  a b c d | e f g | h i j      paths     [4, 7, 10]   ends into positions
///            └ ring ┘ └ hole ┘ └ ring ┘   polygons  [2, 3]       ends into paths
/// ```
///
/// Points use `positions` only, lines `positions` and `paths`. Rings are *open*: the closing
/// position is not repeated. A path may be empty only while it is being built.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts<P> {
    /// What the parts are.
    pub kind: Kind,
    /// All positions, path after path.
    pub positions: Vec<P>,
    /// End of each line or ring, as an index into `positions`.
    pub paths: Vec<u32>,
    /// End of each polygon, as an index into `paths`.
    pub polygons: Vec<u32>,
}

impl<P> Parts<P> {
    /// No parts at all.
    pub const fn new(kind: Kind) -> Self {
        Self { kind, positions: Vec::new(), paths: Vec::new(), polygons: Vec::new() }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Ends the path that the last positions belong to.
    pub fn end_path(&mut self) {
        self.paths.push(self.positions.len() as u32);
    }

    /// Ends the polygon that the last paths belong to.
    pub fn end_polygon(&mut self) {
        self.polygons.push(self.paths.len() as u32);
    }

    /// Appends one line or ring.
    pub fn push_path(&mut self, path: impl IntoIterator<Item = P>) {
        self.positions.extend(path);
        self.end_path();
    }

    /// The lines or rings in order.
    pub fn paths(&self) -> impl Iterator<Item = &[P]> {
        ranges(&self.paths).map(|r| &self.positions[r])
    }

    /// The path with this number.
    pub fn path(&self, index: usize) -> &[P] {
        let start = if index == 0 { 0 } else { self.paths[index - 1] as usize };
        &self.positions[start..self.paths[index] as usize]
    }

    /// The polygons in order, each as the range of its paths.
    pub fn polygons(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        ranges(&self.polygons)
    }

    /// The same parts in another space.
    pub fn map<Q>(&self, f: impl FnMut(&P) -> Q) -> Parts<Q> {
        Parts {
            kind: self.kind,
            positions: self.positions.iter().map(f).collect(),
            paths: self.paths.clone(),
            polygons: self.polygons.clone(),
        }
    }

    /// Forgets all parts and keeps the memory.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.paths.clear();
        self.polygons.clear();
    }
}

/// Consecutive ranges from a list of their ends.
fn ranges(ends: &[u32]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut start = 0;
    ends.iter().map(move |&end| {
        let range = start..end as usize;
        start = end as usize;
        range
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_and_paths_come_back() {
        let mut p = Parts::new(Kind::Polygon);
        p.push_path([1, 2, 3, 4]);
        p.push_path([5, 6, 7]);
        p.end_polygon();
        p.push_path([8, 9, 10]);
        p.end_polygon();
        assert_eq!(p.polygons().collect::<Vec<_>>(), [0..2, 2..3]);
        assert_eq!(p.paths().collect::<Vec<_>>(), [&[1, 2, 3, 4][..], &[5, 6, 7], &[8, 9, 10]]);
        assert_eq!(p.path(1), [5, 6, 7]);
    }
}
