//! Pieces in tile units into valid geometry.
//!
//! Rounding to the grid can make rings cross, touch or fold, and what crosses is most often a
//! border that others share. So the polygons of a layer are cleaned in two steps:
//!
//! ```text
//! edges     a feature's rings as edges, without what runs back and forth
//! sweep     are they planar, and what lies on each side of each?
//! alone     if so, and nothing is covered twice: that is the feature
//! rings     planar edges → valid polygons
//! joint     if not: with all who share the edges that cross …
//! noding    … split them where they cross, for all at once,
//! labels    and give each face to those who own it
//! overlay   the last resort, for scribbles
//! ```
//!
//! A border that is moved is moved for both sides, so that neighbours stay neighbours: no gap, no
//! overlap. Everything happens inside one tile. Lines and points lose what repeats.

mod alone;
mod edges;
mod joint;
mod labels;
mod noding;
mod overlay;
mod rings;
mod sweep;

use super::clip::Piece;
use crate::grid::{Kind, Parts, Point};
use edges::Square;
use rayon::prelude::*;

/// Cleans all pieces that one feature of points or lines has in one tile. Empty when nothing with
/// an extent is left.
pub fn clean(kind: Kind, pieces: Vec<Piece>) -> Parts<Point> {
    if kind == Kind::Point { clean_points(pieces) } else { clean_lines(pieces) }
}

/// Cleans the polygons of one layer in one tile, given as the pieces of each feature and in their
/// final order. Extent and buffer are in tile units. What comes out is empty where nothing with an
/// area is left, else valid (OGC), exterior rings first and of positive area, holes negative
/// (MVT 2.1, section 4.3.3.3). Input rings wind the same way.
pub fn clean_polygons(features: &[Vec<Piece>], extent: i32, buffer: i32) -> Vec<Parts<Point>> {
    let square = Square::new(extent, buffer);
    let mut results: Vec<Option<Parts<Point>>> =
        features.par_iter().map(|pieces| alone::clean(pieces, square)).collect();
    if results.iter().any(Option::is_none) {
        joint::resolve(features, &mut results, square);
    }
    results.into_iter().map(|parts| parts.unwrap_or_else(|| Parts::new(Kind::Polygon))).collect()
}

fn clean_points(pieces: Vec<Piece>) -> Parts<Point> {
    let mut all = Parts::new(Kind::Point);
    for piece in pieces {
        if let Piece::Point(point) = piece {
            all.positions.push(point);
        }
    }
    all.positions.sort_unstable();
    all.positions.dedup();
    all
}

fn clean_lines(pieces: Vec<Piece>) -> Parts<Point> {
    let mut all = Parts::new(Kind::Line);
    for piece in pieces {
        if let Piece::Parts(parts) = piece {
            for path in parts.paths() {
                let start = all.positions.len();
                for &p in path {
                    if all.positions[start..].last() != Some(&p) {
                        all.positions.push(p);
                    }
                }
                if all.positions.len() - start >= 2 {
                    all.end_path();
                } else {
                    all.positions.truncate(start);
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{check_polygons, double_area};
    use proptest::prelude::*;

    /// A polygon whose rings wind as they should.
    fn polygon(rings: &[Vec<(i32, i32)>]) -> Piece {
        let mut parts = Parts::new(Kind::Polygon);
        for (number, ring) in rings.iter().enumerate() {
            let mut ring: Vec<Point> = ring.iter().map(|&(x, y)| Point::new(x, y)).collect();
            if (double_area(&ring) > 0) != (number == 0) {
                ring.reverse();
            }
            parts.push_path(ring);
        }
        parts.end_polygon();
        Piece::Parts(Box::new(parts))
    }

    fn cleaned(pieces: Vec<Piece>) -> (Parts<Point>, i64) {
        let parts = clean_polygons(&[pieces], 4096, 64).remove(0);
        check_polygons(&parts).unwrap_or_else(|fault| panic!("{fault} in {parts:?}"));
        let area = parts.paths().map(double_area).sum();
        (parts, area)
    }

    /// The area (doubled) and the numbers of polygons and rings that are left.
    #[test]
    fn what_is_left_of_bad_polygons() {
        let check = |rings: &[Vec<(i32, i32)>], want: (i64, usize, usize)| {
            let (parts, area) = cleaned(vec![polygon(rings)]);
            assert_eq!((area, parts.polygons().count(), parts.paths().count()), want, "{rings:?} became {parts:?}");
        };
        let square = |a: i32, b: i32| vec![(a, a), (b, a), (b, b), (a, b)];
        check(&[square(0, 10)], (200, 1, 1));
        check(&[square(0, 10).into_iter().rev().collect()], (200, 1, 1));
        check(&[square(0, 10), square(2, 8)], (200 - 72, 1, 2));
        check(&[square(0, 10), square(12, 18)], (200, 1, 1));
        check(&[square(0, 10), square(0, 10)], (0, 0, 0));
        check(&[vec![(0, 0), (10, 10), (10, 0), (0, 10)]], (100, 2, 2));
        check(&[vec![(0, 0), (10, 0), (20, 0)]], (0, 0, 0));
        check(&[vec![(0, 0), (10, 0), (10, 10), (10, 30), (10, 10), (0, 10)]], (200, 1, 1));
        check(&[vec![(0, 0), (10, 0), (10, 0), (10, 10), (0, 10)]], (200, 1, 1));
        check(&[square(0, 20), vec![(2, 2), (10, 10), (2, 18), (18, 18), (10, 10), (18, 2)]], (800 - 2 * 128, 1, 3));
    }

    #[test]
    fn polygons_of_one_feature_are_united() {
        let square = |x: i32| polygon(&[vec![(x, 0), (x + 10, 0), (x + 10, 10), (x, 10)]]);
        assert_eq!(cleaned(vec![square(0), square(10)]).1, 400);
        assert_eq!(cleaned(vec![square(0), square(10)]).0.polygons().count(), 1);
        assert_eq!(cleaned(vec![square(0), square(5)]).1, 300);
        assert_eq!(cleaned(vec![square(0), square(20)]).0.polygons().count(), 2);
        assert_eq!(cleaned(vec![square(0), Piece::Filled]).0, alone::full(Square::new(4096, 64)));
    }

    #[test]
    fn lines_and_points_lose_repeats() {
        let mut line = Parts::new(Kind::Line);
        line.push_path([Point::new(1, 1), Point::new(1, 1), Point::new(2, 2)]);
        line.push_path([Point::new(5, 5), Point::new(5, 5)]);
        let line = clean(Kind::Line, vec![Piece::Parts(Box::new(line))]);
        assert_eq!(line.paths().collect::<Vec<_>>(), [[Point::new(1, 1), Point::new(2, 2)]]);
    }

    proptest! {
        #[test]
        fn anything_becomes_valid(
            rings in proptest::collection::vec(proptest::collection::vec((0i32..40, 0i32..40), 3..24), 1..4),
            more in proptest::collection::vec((0i32..40, 0i32..40), 3..12),
        ) {
            cleaned(vec![polygon(&rings), polygon(&[more])]);
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn large_anything_becomes_valid(ring in proptest::collection::vec((-64i32..4160, -64i32..4160), 3..200)) {
            cleaned(vec![polygon(&[ring])]);
        }
    }

    /// A coverage of the square from 0 to `side`: a grid of `n × n` cells whose inner vertices are
    /// moved, each cut into two triangles, and the triangles dealt out to features.
    #[derive(Debug, Clone)]
    struct Coverage {
        n: usize,
        moves: Vec<(i32, i32)>,
        owners: Vec<usize>,
    }

    const SIDE: i32 = 48;

    impl Coverage {
        fn vertex(&self, x: usize, y: usize) -> Point {
            // In 64ths of a unit, then rounded as the cut does.
            let inner = |v: usize, by: i32| if v == 0 || v == self.n { 0 } else { by };
            let by = self.moves[y * (self.n + 1) + x];
            let at = |v: usize, by: i32| (v as i32 * SIDE * 64 / self.n as i32 + inner(v, by) + 32) >> 6;
            Point::new(at(x, by.0), at(y, by.1))
        }

        /// Every feature is the triangles that it got, each a polygon.
        fn features(&self) -> Vec<Vec<Piece>> {
            let mut features: Vec<Vec<Piece>> = vec![Vec::new(); 5];
            for y in 0..self.n {
                for x in 0..self.n {
                    let [a, b, c, d] = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map(|(x, y)| self.vertex(x, y));
                    let place = 2 * (y * self.n + x);
                    for (owner, triangle) in [(self.owners[place], [a, b, c]), (self.owners[place + 1], [a, c, d])] {
                        let mut parts = Parts::new(Kind::Polygon);
                        parts.push_path(triangle);
                        parts.end_polygon();
                        features[owner].push(Piece::Parts(Box::new(parts)));
                    }
                }
            }
            features
        }
    }

    fn coverage() -> impl Strategy<Value = Coverage> {
        (2usize..14).prop_flat_map(|n| {
            // Up to three quarters of a cell, so that many triangles are turned inside out.
            let most = SIDE * 64 / n as i32 * 3 / 4;
            let moves = proptest::collection::vec((-most..=most, -most..=most), (n + 1) * (n + 1));
            (Just(n), moves, proptest::collection::vec(0usize..5, 2 * n * n)).prop_map(|(n, moves, owners)| Coverage {
                n,
                moves,
                owners,
            })
        })
    }

    /// Twice the area of the union, by an overlay that is not ours.
    fn united(features: &[Parts<Point>]) -> i64 {
        let pieces: Vec<Piece> = features
            .iter()
            .flat_map(|parts| {
                parts.polygons().map(|group| {
                    let mut one = Parts::new(Kind::Polygon);
                    group.for_each(|path| one.push_path(parts.path(path).iter().copied()));
                    one.end_polygon();
                    Piece::Parts(Box::new(one))
                })
            })
            .collect();
        overlay::clean(&pieces).paths().map(double_area).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn a_coverage_stays_one(coverage in coverage()) {
            let cleaned = clean_polygons(&coverage.features(), SIDE, 0);
            for parts in &cleaned {
                check_polygons(parts).unwrap_or_else(|fault| panic!("{fault} in {parts:?}"));
            }
            let whole = 2 * i64::from(SIDE) * i64::from(SIDE);
            let sum: i64 = cleaned.iter().flat_map(|parts| parts.paths().map(double_area).collect::<Vec<_>>()).sum();
            prop_assert_eq!((sum, united(&cleaned)), (whole, whole));
        }
    }
}
