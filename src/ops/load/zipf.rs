//! Popularity: few places that everybody looks at, many that hardly anybody does.

use super::random::Random;

/// A Zipf distribution over ranks `0..n`: rank r has a weight of 1 / (r + 1)^exponent.
#[derive(Debug)]
pub(super) struct Zipf {
    /// The share of all ranks up to and including this one; ends at 1.
    shares: Vec<f64>,
}

impl Zipf {
    /// For at least one rank.
    pub(super) fn new(ranks: usize, exponent: f64) -> Self {
        let mut sum = 0.0;
        let mut shares: Vec<f64> = (1..=ranks.max(1))
            .map(|rank| {
                sum += (rank as f64).powf(-exponent);
                sum
            })
            .collect();
        for share in &mut shares {
            *share /= sum;
        }
        Self { shares }
    }

    /// The rank at this point of 0..1.
    fn rank(&self, point: f64) -> usize {
        self.shares.partition_point(|&share| share <= point).min(self.shares.len() - 1)
    }

    pub(super) fn draw(&self, random: &mut Random) -> usize {
        self.rank(random.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        let check = |ranks, exponent, expected: &[f64]| {
            let zipf = Zipf::new(ranks, exponent);
            assert_eq!(zipf.shares.len(), expected.len());
            for (have, want) in zipf.shares.iter().zip(expected) {
                assert!((have - want).abs() < 1e-12, "{ranks} {exponent}: {:?}", zipf.shares);
            }
        };
        check(0, 1.0, &[1.0]);
        check(1, 1.0, &[1.0]);
        check(3, 1.0, &[6.0 / 11.0, 9.0 / 11.0, 1.0]);
        check(4, 0.0, &[0.25, 0.5, 0.75, 1.0]);
        check(2, 2.0, &[0.8, 1.0]);
    }

    #[test]
    fn ranks_at_their_borders() {
        let zipf = Zipf::new(4, 0.0);
        for (point, rank) in [(0.0, 0), (0.249, 0), (0.25, 1), (0.5, 2), (0.749, 2), (0.75, 3), (0.999, 3), (1.0, 3)] {
            assert_eq!(zipf.rank(point), rank, "{point}");
        }
    }

    #[test]
    fn draws_follow_the_shares() {
        let (zipf, mut random) = (Zipf::new(3, 1.0), Random::new(1));
        let mut drawn = [0_i32; 3];
        for _ in 0..11_000 {
            drawn[zipf.draw(&mut random)] += 1;
        }
        for (have, want) in drawn.iter().zip([6000, 3000, 2000]) {
            assert!((have - want).abs() < 200, "{drawn:?}");
        }
    }
}
