//! Many measurements as the few numbers that describe them.

use std::time::Duration;

/// Times, sorted.
#[derive(Debug, Clone)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn new(mut times: Vec<Duration>) -> Samples {
        times.sort_unstable();
        Samples(times)
    }

    /// The time that so many hundredths of the measurements stayed within.
    pub(crate) fn percentile(&self, hundredths: usize) -> Duration {
        let last = self.0.len().saturating_sub(1);
        self.0
            .get((self.0.len() * hundredths / 100).min(last))
            .copied()
            .unwrap_or_default()
    }

    /// In milliseconds: the middle one, and one from the slow end.
    pub(crate) fn shown(&self, slow: usize) -> String {
        format!(
            "{} / {}",
            milliseconds(self.percentile(50)),
            milliseconds(self.percentile(slow))
        )
    }
}

/// How many times the second the first is.
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
