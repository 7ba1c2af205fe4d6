//! The order in which the objects of an input heap are made. Objects have numbers, and refer to others, their children.

use rustc_hash::{FxHashMap, FxHashSet};

/// How often each object is referred to, counting the roots.
///
/// # Errors
/// The children of an object are not known.
pub(crate) fn uses<E>(
    roots: impl IntoIterator<Item = usize>,
    children: impl Fn(usize) -> Result<Vec<usize>, E>,
) -> Result<FxHashMap<usize, usize>, E> {
    let mut uses: FxHashMap<usize, usize> = FxHashMap::default();
    let mut pending: Vec<usize> = roots.into_iter().collect();
    while let Some(number) = pending.pop() {
        let count = uses.entry(number).or_default();
        *count += 1;
        if *count == 1 {
            pending.extend(children(number)?);
        }
    }
    Ok(uses)
}

/// The objects to make for a root: each after those to which it refers, except along cycles.
///
/// # Errors
/// The children of an object are not known.
pub(crate) fn children_first<E>(
    root: usize,
    is_made: impl Fn(usize) -> bool,
    children: impl Fn(usize) -> Result<Vec<usize>, E>,
) -> Result<Vec<usize>, E> {
    let mut order = Vec::new();
    // An object is pushed a second time, below its children, to be made after them.
    let mut stack = vec![(root, false)];
    let mut open = FxHashSet::default();
    while let Some((number, is_ready)) = stack.pop() {
        if is_made(number) {
            continue;
        }
        if is_ready {
            order.push(number);
        } else if open.insert(number) {
            stack.push((number, true));
            let children = children(number)?;
            stack.extend(children.into_iter().rev().filter(|child| !open.contains(child)).map(|child| (child, false)));
        }
    }
    Ok(order)
}
