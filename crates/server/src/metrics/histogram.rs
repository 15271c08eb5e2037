//! How long something took, counted in fixed ranges.

use std::time::Duration;

/// The upper ends of the ranges in seconds: from an answer of the cache to the longest deadline
/// that most servers set. There is one more range without an end.
pub(crate) const BOUNDS: [f64; 13] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
];

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Histogram {
    /// How many fell into each range; the last has no end.
    counts: [u64; BOUNDS.len() + 1],
    sum: f64,
    longest: f64,
}

impl Histogram {
    pub(super) fn add(&mut self, time: Duration) {
        let seconds = time.as_secs_f64();
        let range = BOUNDS.iter().position(|bound| seconds <= *bound);
        self.counts[range.unwrap_or(BOUNDS.len())] += 1;
        self.sum += seconds;
        self.longest = self.longest.max(seconds);
    }

    /// How many took at most as long as each bound, in the order of [`BOUNDS`].
    pub(crate) fn cumulative(&self) -> impl Iterator<Item = u64> {
        self.counts[..BOUNDS.len()].iter().scan(0, |total, count| {
            *total += count;
            Some(*total)
        })
    }

    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The sum of all times, in seconds.
    pub(crate) fn sum(&self) -> f64 {
        self.sum
    }

    pub(crate) fn merge(&mut self, other: &Histogram) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.sum += other.sum;
        self.longest = self.longest.max(other.longest);
    }

    /// The time within which this share of all ended, in seconds, assuming that times are spread
    /// evenly over their range. `None` while there are none.
    pub(crate) fn quantile(&self, share: f64) -> Option<f64> {
        let rank = (self.count() as f64 * share).max(1.0);
        let (mut below, mut start) = (0, 0.0);
        for (count, end) in self.counts.iter().zip(BOUNDS) {
            if *count > 0 && (below + count) as f64 >= rank {
                let part = (rank - below as f64) / *count as f64;
                return Some((start + (end - start) * part).min(self.longest));
            }
            (below, start) = (below + count, end);
        }
        (self.count() > 0).then_some(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_up_to_their_bound() {
        let mut histogram = Histogram::default();
        for millis in [5, 6, 1_000, 90_000] {
            histogram.add(Duration::from_millis(millis));
        }
        let cumulative: Vec<u64> = histogram.cumulative().collect();
        assert_eq!(cumulative, [1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3]);
        assert_eq!(histogram.count(), 4);
        assert!((histogram.sum() - 91.011).abs() < 1e-9);
    }

    #[test]
    fn quantiles_are_estimated_within_their_range() {
        assert_eq!(Histogram::default().quantile(0.5), None);
        let mut histogram = Histogram::default();
        (0..99).for_each(|_| histogram.add(Duration::from_millis(60)));
        let mut slow = Histogram::default();
        slow.add(Duration::from_secs(90));
        histogram.merge(&slow);
        let median = histogram.quantile(0.5).expect("there are times");
        assert!((0.05..=0.1).contains(&median), "{median}");
        assert_eq!(histogram.quantile(1.0), Some(90.0));
        assert_eq!(slow.quantile(0.5), Some(90.0));
        assert_eq!(histogram.count(), 100);
    }
}
