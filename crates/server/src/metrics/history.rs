//! What happened lately, in equal spans of time, for the charts of the web page.
//!
//! The last hour is kept by the minute and the last day by the quarter of an hour. Every name is one
//! of ours and the number of spans is fixed, so memory is limited however busy the server is.

use std::{collections::BTreeMap, collections::VecDeque, time::Duration};

use super::Histogram;

/// How far back a look goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Period {
    Hour,
    Day,
}

impl Period {
    pub(crate) const ALL: [Period; 2] = [Period::Hour, Period::Day];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Period::Hour => "hour",
            Period::Day => "day",
        }
    }

    /// The length of one span in seconds.
    pub(crate) const fn span_seconds(self) -> u64 {
        match self {
            Period::Hour => 60,
            Period::Day => 15 * 60,
        }
    }

    /// The number of spans.
    pub(crate) const fn spans(self) -> u64 {
        match self {
            Period::Hour => 60,
            Period::Day => 96,
        }
    }
}

/// What happened in one span.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Span {
    pub(crate) succeeded: u64,
    /// Failed calls by kind and reason.
    pub(crate) faults: BTreeMap<(&'static str, &'static str), u64>,
    /// The answers of each provider and tier.
    pub(crate) upstreams: BTreeMap<&'static str, UpstreamSpan>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct UpstreamSpan {
    pub(crate) failed: u64,
    pub(crate) times: Histogram,
}

/// The spans of both periods.
#[derive(Debug, Default)]
pub(super) struct History {
    hour: Spans,
    day: Spans,
}

impl History {
    /// Counts a call that ended at `now`, in seconds since 1970.
    pub(super) fn ended(&mut self, now: u64, fault: Option<(&'static str, &'static str)>) {
        self.update(now, |span| match fault {
            None => span.succeeded += 1,
            Some(name) => *span.faults.entry(name).or_default() += 1,
        });
    }

    pub(super) fn answered(
        &mut self,
        now: u64,
        upstream: &'static str,
        took: Duration,
        failed: bool,
    ) {
        self.update(now, |span| {
            let counts = span.upstreams.entry(upstream).or_default();
            counts.failed += u64::from(failed);
            counts.times.add(took);
        });
    }

    /// The spans of a period in which something happened, with their beginning in seconds since
    /// 1970, oldest first.
    pub(super) fn spans(&self, period: Period, now: u64) -> Vec<(u64, Span)> {
        let width = period.span_seconds();
        let oldest = (now / width).saturating_sub(period.spans() - 1);
        let spans = self.of(period).0.iter();
        let recent = spans.filter(|(number, _)| *number >= oldest);
        recent
            .map(|(number, span)| (number * width, span.clone()))
            .collect()
    }

    fn of(&self, period: Period) -> &Spans {
        match period {
            Period::Hour => &self.hour,
            Period::Day => &self.day,
        }
    }

    fn update(&mut self, now: u64, change: impl Fn(&mut Span)) {
        change(self.hour.at(Period::Hour, now));
        change(self.day.at(Period::Day, now));
    }
}

/// Spans by number, oldest first. Those in which nothing happened are left out.
#[derive(Debug, Default)]
struct Spans(VecDeque<(u64, Span)>);

impl Spans {
    /// The span of this moment. A clock that was set back adds to the newest one.
    fn at(&mut self, period: Period, now: u64) -> &mut Span {
        let number = now / period.span_seconds();
        if self.0.back().is_none_or(|(newest, _)| *newest < number) {
            self.0.push_back((number, Span::default()));
        }
        let oldest = number.saturating_sub(period.spans() - 1);
        while self.0.len() > 1 && self.0.front().is_some_and(|(number, _)| *number < oldest) {
            self.0.pop_front();
        }
        let newest = self.0.len() - 1;
        &mut self.0[newest].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETWORK: (&str, &str) = ("network", "timeout");

    #[test]
    fn a_period_shows_what_happened_within_it() {
        let mut history = History::default();
        history.ended(1_000_000, None);
        history.ended(1_000_030, Some(NETWORK));
        history.ended(1_000_090, Some(NETWORK));
        history.answered(1_000_090, "brave", Duration::from_millis(30), true);
        let hour = history.spans(Period::Hour, 1_000_100);
        let starts: Vec<u64> = hour.iter().map(|(start, _)| *start).collect();
        assert_eq!(starts, [999_960, 1_000_020, 1_000_080]);
        assert_eq!((hour[0].1.succeeded, hour[1].1.faults[&NETWORK]), (1, 1));
        assert_eq!(hour[2].1.upstreams["brave"].failed, 1);
        assert_eq!(history.spans(Period::Hour, 1_000_100 + 3_600).len(), 0);
        assert_eq!(history.spans(Period::Day, 1_000_100 + 3_600).len(), 1);
    }

    #[test]
    fn memory_is_limited_and_a_clock_that_goes_back_does_no_harm() {
        let mut history = History::default();
        for minute in 0..10_000 {
            history.ended(1_000_000 + minute * 60, None);
        }
        assert_eq!((history.hour.0.len(), history.day.0.len()), (60, 96));
        history.ended(5, None);
        assert_eq!((history.hour.0.len(), history.day.0.len()), (60, 96));
        assert_eq!(history.hour.0[59].1.succeeded, 2);
        history.ended(2_000_000_000, None);
        assert_eq!((history.hour.0.len(), history.day.0.len()), (1, 1));
    }
}
