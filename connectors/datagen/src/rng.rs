//! The pseudo-random numbers behind the generator: `SplitMix64`, seeded per record.
//!
//! Pure. Seeding per record instead of running one stream is what lets a lane begin anywhere.
//!
//! Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014);
//! the constants are those of Vigna's <https://prng.di.unimi.it/splitmix64.c>.

/// One stream of numbers.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    /// The stream of `index` under `seed`; streams of neighbours have nothing in common.
    pub(crate) const fn at(seed: u64, index: u64) -> Self {
        Self(mix(seed.wrapping_add(GOLDEN)) ^ mix(index.wrapping_mul(GOLDEN)))
    }

    /// The next 64 bits.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A number below `bound`, which is not 0 (multiply and shift; the bias is below 2^-32 here).
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of `splitmix64.c` for the state 1234567.
    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        let mut stream = SplitMix64(1_234_567);
        let numbers = [stream.next(), stream.next(), stream.next()];
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn numbers_below_a_bound_fill_the_range() {
        let mut seen = [0u32; 7];
        for index in 0..7000 {
            let number = SplitMix64::at(1, index).below(7);
            seen[usize::try_from(number).unwrap()] += 1;
        }
        assert!(seen.iter().all(|&count| (900..1100).contains(&count)), "{seen:?}");
    }
}
