//! Chance that can be repeated: the same seed gives the same sequence on every machine.
//!
//! Responsible for numbers only. Not for secrets.

/// A `SplitMix64` generator (Steele, Lea and Flood, 2014).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A generator of its own for one of many users of this seed.
    pub(super) fn fork(seed: u64, user: u64) -> Self {
        Self::new(Self(seed ^ user.wrapping_mul(0xD6E8_FEB8_6659_FD93)).next())
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in 0..1, one excluded.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `limit`, which is above 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// Puts a list into an order of chance.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        // The reference implementation's first numbers for the seed 1234567.
        let mut random = Random::new(1_234_567);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn numbers_stay_in_their_range_and_reach_all_of_it() {
        let mut random = Random::new(7);
        let mut seen = [0; 5];
        for _ in 0..1000 {
            seen[random.below(5)] += 1;
            assert!((0.0..1.0).contains(&random.unit()));
        }
        assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn users_of_one_seed_differ() {
        assert_ne!(Random::fork(1, 0).next(), Random::fork(1, 1).next());
        assert_eq!(Random::fork(1, 1).next(), Random::fork(1, 1).next());
    }

    #[test]
    fn a_shuffled_list_has_the_same_members() {
        let mut list: Vec<_> = (0..50).collect();
        Random::new(3).shuffle(&mut list);
        assert_ne!(list, (0..50).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..50).collect::<Vec<_>>());
    }
}
