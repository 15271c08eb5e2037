//! Durations as headers and error bodies write them.

/// A number of seconds, or numbers with units: `120`, `1.5`, `120s`, `1m30s`, `500ms`.
pub(crate) fn parse_seconds(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    loop {
        let (number, after) = rest.split_at(
            rest.find(|c: char| !c.is_ascii_digit() && c != '.')
                .unwrap_or(rest.len()),
        );
        let (unit, after) = after.split_at(
            after
                .find(|c: char| c.is_ascii_digit())
                .unwrap_or(after.len()),
        );
        let scale = match unit.trim() {
            "ms" => 0.001,
            "" | "s" | "sec" | "second" | "seconds" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        seconds += number.parse::<f64>().ok()? * scale;
        rest = after;
        if rest.is_empty() {
            return Some(seconds).filter(|seconds| seconds.is_finite());
        }
    }
}
