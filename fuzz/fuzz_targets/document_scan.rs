//! Draws the pages that are pictures: never panics, and no picture is larger than its limit or than
//! it says.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use reading::document::{
    Hint, Limits, read_with_scans,
    scan::{MAX_SAMPLES, WantedScans},
};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits {
        time: Duration::from_secs(2),
        unpacked: 10_000_000,
        part: 5_000_000,
        ..Limits::default()
    };
    let hint = Hint {
        scans: Some(WantedScans {
            are_named: true,
            ..WantedScans::ALL
        }),
        ..Hint::default()
    };
    let Ok((_, Some(scans))) = read_with_scans(bytes, &hint, limits) else {
        return;
    };
    let mut left = 8;
    scans.hand_over(limits, |scan| {
        if let Some(picture) = scan.picture {
            let samples = u64::from(picture.width) * u64::from(picture.height);
            assert!(samples <= MAX_SAMPLES, "{samples} samples");
            assert_eq!(picture.samples.len() as u64, samples);
        }
        left -= 1;
        left > 0
    });
});
