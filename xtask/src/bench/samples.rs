//! Summarises many measurements in a few numbers.

use std::time::Duration;

/// Sorted durations.
#[derive(Debug, Clone)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn new(mut times: Vec<Duration>) -> Samples {
        times.sort_unstable();
        Samples(times)
    }

    pub(crate) fn percentile(&self, hundredths: usize) -> Duration {
        let last = self.0.len().saturating_sub(1);
        self.0
            .get((self.0.len() * hundredths / 100).min(last))
            .copied()
            .unwrap_or_default()
    }

    /// The median and a high percentile, in milliseconds.
    pub(crate) fn shown(&self, slow: usize) -> String {
        format!(
            "{} / {}",
            milliseconds(self.percentile(50)),
            milliseconds(self.percentile(slow))
        )
    }
}

/// The ratio of the first to the second.
pub(crate) fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64().max(f64::MIN_POSITIVE)
}

pub(crate) fn milliseconds(time: Duration) -> String {
    let value = time.as_secs_f64() * 1e3;
    if value < 1.0 {
        format!("{value:.3} ms")
    } else {
        format!("{value:.1} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_known_list() {
        let samples = Samples::new((1..=100).rev().map(Duration::from_millis).collect());
        assert_eq!(samples.percentile(50), Duration::from_millis(51));
        assert_eq!(samples.percentile(99), Duration::from_millis(100));
        assert_eq!(samples.percentile(100), Duration::from_millis(100));
        assert_eq!(Samples::new(Vec::new()).percentile(50), Duration::ZERO);
    }
}
