//! Decides at which branches the solver is asked whether their sides are possible (paper 4, section 3.4.1).

use crate::config::Pruning;

/// The least probability of adaptive pruning, in thousandths: it never stops trying.
const LEAST: u32 = 50;
/// Certainty, in thousandths.
const CERTAIN: u32 = 1000;

/// The probability with which branches are checked, which changes with the success of the checks.
pub(crate) struct Pruner {
    /// In thousandths.
    probability: u32,
    rise: u32,
    fall: u32,
    random: fastrand::Rng,
}

impl Pruner {
    pub(crate) fn new(pruning: Pruning, seed: u64) -> Self {
        let (probability, rise, fall) = match pruning {
            Pruning::Never => (0, 0, 0),
            Pruning::Constant => (CERTAIN, 0, 0),
            Pruning::Varying { start, rise, fall } => (start.min(CERTAIN), rise, fall),
        };
        Pruner { probability, rise, fall, random: fastrand::Rng::with_seed(seed) }
    }

    /// The probability of a check, in thousandths.
    pub(crate) fn probability(&self) -> u32 {
        self.probability
    }

    /// Whether the next branch is checked.
    pub(crate) fn is_due(&mut self) -> bool {
        match self.probability {
            0 => false,
            CERTAIN => true,
            probability => self.random.u32(..CERTAIN) < probability,
        }
    }

    /// Learns from a check. Paper 4's algorithm 6 has the minimum and the maximum the wrong way round.
    pub(crate) fn learn(&mut self, has_pruned: bool) {
        self.probability = match has_pruned {
            true => (self.probability + self.rise).min(CERTAIN),
            false => self.probability.saturating_sub(self.fall).max(LEAST.min(self.probability)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_makes_checks_more_probable() {
        let mut pruner = Pruner::new(Pruning::ADAPTIVE, 0);
        let probabilities = |pruner: &mut Pruner, has_pruned: bool, times: usize| {
            (0..times).for_each(|_| pruner.learn(has_pruned));
            pruner.probability()
        };
        assert_eq!(probabilities(&mut pruner, true, 1), 550);
        assert_eq!(probabilities(&mut pruner, true, 20), 1000);
        assert!((0..100).all(|_| pruner.is_due()));
        assert_eq!(probabilities(&mut pruner, false, 2), 900);
        assert_eq!(probabilities(&mut pruner, false, 40), 50);
        let checks = (0..1000).filter(|_| pruner.is_due()).count();
        assert!((10..150).contains(&checks), "{checks}");
    }

    #[test]
    fn fixed_probabilities_stay() {
        for (pruning, probability) in [(Pruning::Never, 0), (Pruning::Constant, 1000), (Pruning::PROBABILISTIC, 250)] {
            let mut pruner = Pruner::new(pruning, 0);
            for has_pruned in [true, false, false, true] {
                pruner.learn(has_pruned);
                assert_eq!(pruner.probability(), probability);
            }
        }
    }
}
