//! The model: an ensemble of small decision trees whose constants are in [`weights`](super::weights).

use super::weights::{FEATURES, LEAVES, NODES, ROOTS};

/// The chance that a block with these numbers is content.
pub(super) fn chance(row: &[f32]) -> f32 {
    debug_assert_eq!(row.len(), FEATURES, "train again after a change of the features");
    let sum: f32 = ROOTS.iter().map(|root| leaf(*root, row)).sum();
    1.0 / (1.0 + (-sum).exp())
}

fn leaf(root: i16, row: &[f32]) -> f32 {
    let mut at = root;
    while let Ok(index) = usize::try_from(at) {
        let (number, threshold, left, right) = NODES[index];
        at = if row[usize::from(number)] <= threshold { left } else { right };
    }
    LEAVES[usize::from(at.unsigned_abs()) - 1]
}

#[cfg(test)]
mod tests {
    use super::super::features;
    use super::*;

    #[test]
    fn the_table_is_a_forest_over_the_features_that_exist() {
        assert_eq!(features::names().len(), FEATURES);
        for (place, (number, _, left, right)) in NODES.iter().enumerate() {
            assert!(usize::from(*number) < FEATURES);
            for child in [*left, *right] {
                let leaf = usize::from(child.unsigned_abs());
                // Children stand behind their parents, so no walk can go round in circles.
                assert!(usize::try_from(child).map_or(leaf <= LEAVES.len(), |it| it > place && it < NODES.len()));
            }
        }
    }
}
