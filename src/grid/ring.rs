//! Integer points, and the areas and turns of rings made of them. All results are exact.

/// A point on an integer grid; in a tile, tile units with `(0, 0)` the north-west corner, `x` east, `y` south.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Point {
    /// Units eastwards.
    pub x: i32,
    /// Units southwards.
    pub y: i32,
}

impl Point {
    /// A point from its coordinates.
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }
}

/// Twice the signed area of an open ring, in square units.
///
/// Positive for an exterior ring of MVT 2.1 (section 4.3.3.3: the surveyor's formula with `y`
/// southwards), which looks clockwise on the screen.
pub fn double_area(ring: &[Point]) -> i64 {
    let Some(&first) = ring.first() else { return 0 };
    let from = |p: Point| (i64::from(p.x) - i64::from(first.x), i64::from(p.y) - i64::from(first.y));
    let mut sum = 0;
    let mut previous = (0, 0);
    for &p in &ring[1..] {
        let next = from(p);
        sum += previous.0 * next.1 - next.0 * previous.1;
        previous = next;
    }
    sum
}

/// The turn at `b` when walking from `a` over `b` to `c`: positive is clockwise on the screen,
/// zero means straight on or straight back.
pub fn turn(a: Point, b: Point, c: Point) -> i64 {
    let (ux, uy) = (i64::from(b.x) - i64::from(a.x), i64::from(b.y) - i64::from(a.y));
    let (vx, vy) = (i64::from(c.x) - i64::from(a.x), i64::from(c.y) - i64::from(a.y));
    ux * vy - uy * vx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas() {
        let p = Point::new;
        let check = |ring: &[Point], want| assert_eq!(double_area(ring), want, "{ring:?}");
        check(&[], 0);
        check(&[p(5, 5)], 0);
        check(&[p(0, 0), p(4, 0), p(4, 4), p(0, 4)], 32);
        check(&[p(0, 0), p(0, 4), p(4, 4), p(4, 0)], -32);
        check(&[p(i32::MIN / 2, 0), p(0, 0), p(9, 0)], 0);
    }
}
