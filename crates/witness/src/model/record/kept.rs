//! Keeps the end of a long run only.

use super::{Call, Change, Recorder};

impl Recorder {
    /// Merges the older half of the steps into the state before the first kept step.
    pub(super) fn forget_steps(&mut self) {
        let half = self.execution.steps.len() / 2;
        for step in self.execution.steps.drain(..half) {
            for change in &step.changes {
                self.before.apply(change);
            }
        }
        self.lines.drain(..half);
        self.execution.omitted += half as u64;
        self.drop_calls();
    }

    /// Drops calls that ended before the first kept step.
    pub(super) fn drop_calls(&mut self) {
        if self.execution.omitted == 0 {
            return;
        }
        let calls = &self.execution.calls;
        let mut kept = vec![false; calls.len()];
        let used = self.execution.steps.iter().map(|step| step.call).chain(self.open.iter().map(|open| open.call));
        for call in used {
            let mut next = Some(call);
            while let Some(call) = next.filter(|&call| !kept[call as usize]) {
                kept[call as usize] = true;
                next = calls[call as usize].parent;
            }
        }
        let mut numbers = vec![None; calls.len()];
        let mut renumbered = Vec::new();
        for (old, call) in calls.iter().enumerate().filter(|(old, _)| kept[*old]) {
            numbers[old] = Some(renumbered.len() as u32);
            let parent = call.parent.and_then(|parent| numbers[parent as usize]);
            renumbered.push(Call { parent, ..*call });
        }
        let renumber = |call: &mut u32| *call = numbers[*call as usize].unwrap_or_default();
        self.execution.calls = renumbered;
        self.open.iter_mut().for_each(|open| renumber(&mut open.call));
        for step in &mut self.execution.steps {
            renumber(&mut step.call);
            step.changes.retain_mut(|change| match change {
                // The call returned without a step in between, so that nobody can see the variable.
                Change::Local(call, ..) | Change::Gone(call, _) if numbers[*call as usize].is_none() => false,
                Change::Local(call, ..) | Change::Gone(call, _) => {
                    renumber(call);
                    true
                }
                _ => true,
            });
        }
        self.before.renumber_calls(|call| numbers[call as usize]);
    }
}
