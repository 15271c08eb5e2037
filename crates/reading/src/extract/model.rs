//! The model: an ensemble of small decision trees, whose constants are in
//! [`model_file`](super::model_file).

use super::model_file::{FEATURES, LEAVES, NODES, ROOTS};

/// How many blocks walk a tree side by side. One walk waits for memory at every step; several hide
/// each other's waits.
const ABREAST: usize = 8;

/// Turns the features of blocks into the probabilities that they are content.
#[derive(Debug)]
pub(super) struct BlockScorer {
    rows: Box<[[f32; FEATURES]; ABREAST]>,
    waiting: usize,
    probabilities: Vec<f32>,
}

impl BlockScorer {
    /// A scorer with room for `blocks` probabilities.
    pub(super) fn new(blocks: usize) -> BlockScorer {
        BlockScorer {
            rows: Box::new([[0.0; FEATURES]; ABREAST]),
            waiting: 0,
            probabilities: Vec::with_capacity(blocks),
        }
    }

    /// Adds the features of the next block.
    pub(super) fn add(&mut self, row: &[f32]) {
        debug_assert_eq!(
            row.len(),
            FEATURES,
            "train again after a change of the features"
        );
        self.rows[self.waiting]
            .iter_mut()
            .zip(row)
            .for_each(|(slot, number)| *slot = *number);
        self.waiting += 1;
        if self.waiting == ABREAST {
            self.score_waiting();
        }
    }

    /// The probabilities of all blocks, in the order they were added.
    pub(super) fn finish(mut self) -> Vec<f32> {
        self.score_waiting();
        self.probabilities
    }

    fn score_waiting(&mut self) {
        let mut sums = [0.0f32; ABREAST];
        if self.waiting > 0 {
            ROOTS
                .iter()
                .for_each(|root| add_leaves(*root, &self.rows, &mut sums));
        }
        self.probabilities.extend(
            sums[..self.waiting]
                .iter()
                .map(|sum| 1.0 / (1.0 + (-sum).exp())),
        );
        self.waiting = 0;
    }
}

fn add_leaves(root: i16, rows: &[[f32; FEATURES]; ABREAST], sums: &mut [f32; ABREAST]) {
    let mut at = [root; ABREAST];
    while at.iter().any(|it| *it >= 0) {
        for (at, row) in at.iter_mut().zip(rows) {
            // A walk that has reached its leaf looks at the first node and stays: cheaper than a
            // branch that cannot be predicted.
            let node = &NODES[usize::try_from(*at).unwrap_or(0)];
            let next = if row[usize::from(node.feature)] <= node.threshold {
                node.left
            } else {
                node.right
            };
            *at = if *at < 0 { *at } else { next };
        }
    }
    sums.iter_mut()
        .zip(at)
        .for_each(|(sum, at)| *sum += LEAVES[usize::from(at.unsigned_abs()) - 1]);
}

#[cfg(test)]
mod tests {
    use super::super::features;
    use super::*;

    #[test]
    fn a_block_gets_the_same_probability_alone_and_among_others() {
        let rows: Vec<Vec<f32>> = (0..19u8)
            .map(|it| {
                (0..FEATURES)
                    .map(|at| f32::from(it) * (at % 7) as f32)
                    .collect()
            })
            .collect();
        let judged = |rows: &[Vec<f32>]| {
            let mut scorer = BlockScorer::new(rows.len());
            rows.iter().for_each(|it| scorer.add(it));
            scorer.finish()
        };
        let together = judged(&rows);
        let alone: Vec<f32> = rows
            .iter()
            .flat_map(|it| judged(std::slice::from_ref(it)))
            .collect();
        assert_eq!(together, alone);
        assert_eq!(judged(&[]), Vec::<f32>::new());
    }

    #[test]
    fn every_node_leads_to_nodes_and_features_that_exist() {
        assert_eq!(features::names().len(), FEATURES);
        for (place, node) in NODES.iter().enumerate() {
            assert!(usize::from(node.feature) < FEATURES);
            for child in [node.left, node.right] {
                let leaf = usize::from(child.unsigned_abs());
                // Children stand behind their parents, so no walk can go round in circles.
                assert!(
                    usize::try_from(child)
                        .map_or(leaf <= LEAVES.len(), |it| it > place && it < NODES.len())
                );
            }
        }
    }
}
