//! Says which iteration has last written an element.

use crate::Backbone;
use crate::instances::{Borders, Instance, LastIterations};
use crate::looping::Looping;
use aback_logic::{Node, Pool, Sort, Term};

/// Most iterations that have written elements of which it is said that they have an order.
const MOST_ORDERED: usize = 8;
/// Deepest loop within others whose iterations are looked at.
const DEEPEST: usize = 3;

/// Where an element is: its index, or those of rows and the one within the last of them.
type Address = Vec<Term>;

/// An element of an array behind the loop of which something is said.
pub struct Looked {
    /// The number of the array among the changed variables.
    array: usize,
    address: Address,
    /// A truth value: no iteration writes it.
    left: Term,
}

/// What may write an array in an iteration.
enum Writer {
    /// A write to an element.
    Element(Address),
    /// A loop on the way.
    Loop {
        /// Its number on the backbone.
        number: usize,
        /// The number of the array, or of the row, among what it changes.
        array: usize,
        /// The indices that lead to the row.
        row: Address,
    },
}

impl Looked {
    /// Its index, and those of the rows that it is in before it.
    pub(crate) fn address(&self) -> &[Term] {
        &self.address
    }
}

impl Looping {
    /// The elements of arrays behind the loop that terms look at, at most so many, if it is known what writes these.
    pub fn looked(&self, pool: &mut Pool, terms: &[Term], most: usize) -> Vec<Looked> {
        let mut elements = self.elements_in(pool, terms);
        elements.retain(|(array, _)| self.writers_of_all(pool, *array).is_some());
        elements.truncate(most);
        let looked = elements.into_iter().map(|(array, address)| {
            let left = pool.fresh_var("left", Sort::Bool);
            Looked { array, address, left }
        });
        looked.collect()
    }

    /// What the condition says about the iterations that have last written elements, if there are any.
    pub fn last_written(&self, pool: &mut Pool, last: &LastIterations, looked: &[Looked]) -> Vec<Term> {
        let mut facts = Vec::new();
        let mut written: Vec<Vec<(Term, Instance)>> = Vec::new();
        let first = if looked.is_empty() { Vec::new() } else { self.first(pool, &last.borders, &mut facts) };
        for element in looked {
            let &Looked { array, ref address, left } = element;
            let unchanged = self.is_left(pool, array, address, &last.borders);
            facts.push(pool.implies(left, unchanged));
            for one in first.iter().chain(&last.last) {
                let exists = self.exists(pool, one);
                for not_left in self.not_left(pool, std::slice::from_ref(element), one) {
                    facts.push(pool.implies(exists, not_left));
                }
            }
            let iterations = self.writing(pool, (array, address), last, DEEPEST, &mut facts);
            let choices: Vec<Term> = iterations.iter().map(|(choice, _)| *choice).chain([left]).collect();
            facts.push(pool.or_all(&choices));
            written.push(iterations);
        }
        // All these iterations have an order. One that has not written its element may be one that does not exist.
        let count: usize = written.iter().map(Vec::len).sum();
        for (number, iterations) in written.iter().enumerate().filter(|_| count <= MOST_ORDERED) {
            for (choice, one) in iterations {
                for (other_choice, other) in written[number + 1..].iter().flatten() {
                    let both = pool.and(*choice, *other_choice);
                    let ordered = self.ordered(pool, one, other);
                    facts.push(pool.implies(both, ordered));
                }
            }
        }
        facts
    }

    /// That elements which an iteration writes are not left as they were.
    pub(crate) fn not_left(&self, pool: &mut Pool, looked: &[Looked], iteration: &Instance) -> Vec<Term> {
        let mut facts = Vec::new();
        for Looked { array, address, left } in looked {
            for writer in self.writers(pool, *array, iteration.backbone).into_iter().flatten() {
                let written = match writer {
                    Writer::Element(written) => same_place(pool, &written, address, iteration),
                    Writer::Loop { number, array, row } => {
                        let (same, within) = within(pool, &row, address, iteration);
                        let inner = &self.backbones[iteration.backbone].inner[number];
                        let inner = inner.substituted(pool, &iteration.pairs);
                        let Some(border) = inner.border(pool, array) else { continue };
                        let &[index] = within else { continue };
                        let Some(passed) = inner.is_written(pool, &border, index) else { continue };
                        pool.and(same, passed)
                    }
                };
                let not_left = pool.not(*left);
                facts.push(pool.implies(written, not_left));
            }
        }
        facts
    }

    /// The elements of arrays behind the loop that occur in terms.
    fn elements_in(&self, pool: &Pool, terms: &[Term]) -> Vec<(usize, Address)> {
        let mut looked = Vec::new();
        for part in pool.subterms(terms) {
            if matches!(pool.sort(part), Sort::Array(_)) {
                continue;
            }
            let (mut read, mut address) = (part, Vec::new());
            while let Node::Select(array, index) = *pool.node(read) {
                address.insert(0, index);
                read = array;
                looked.extend(
                    self.behind.iter().position(|&behind| behind == read).map(|array| (array, address.clone())),
                );
            }
        }
        looked
    }

    /// What may write an array along each backbone, the last one first. `None` if something else happens to it.
    fn writers_of_all(&self, pool: &mut Pool, array: usize) -> Option<Vec<Vec<Writer>>> {
        (0..self.backbones.len()).map(|backbone| self.writers(pool, array, backbone)).collect()
    }

    fn writers(&self, pool: &mut Pool, array: usize, backbone: usize) -> Option<Vec<Writer>> {
        let of = &self.backbones[backbone];
        let mut writers = Vec::new();
        add_writers(pool, of, &Vec::new(), (self.changed[array].start, of.values[array]), &mut writers)?;
        Some(writers)
    }

    /// The iterations that may have written an element last, each with the condition that it has, and has left the value behind
    /// the loop. What holds whether there are such iterations or not goes to `facts`.
    fn writing(
        &self,
        pool: &mut Pool,
        (array, address): (usize, &[Term]),
        last: &LastIterations,
        depth: usize,
        facts: &mut Vec<Term>,
    ) -> Vec<(Term, Instance)> {
        let mut iterations = Vec::new();
        for (backbone, writers) in self.writers_of_all(pool, array).into_iter().flatten().enumerate() {
            if writers.is_empty() {
                continue;
            }
            let here = self.some_instance(pool, backbone, last, facts);
            let mut parts = here.conditions.clone();
            let [end, behind] = [here.ends[array], self.behind[array]].map(|array| element(pool, array, address));
            parts.push(pool.eq(behind, end));
            let mut choices = Vec::new();
            for writer in writers {
                match writer {
                    Writer::Element(written) => choices.push(same_place(pool, &written, address, &here)),
                    // Whatever it writes.
                    Writer::Loop { .. } if depth == 0 => choices.push(Pool::TRUE),
                    Writer::Loop { number, array, row } => {
                        let (same, within) = within(pool, &row, address, &here);
                        let inner = self.backbones[backbone].inner[number].substituted(pool, &here.pairs);
                        let last = inner.last_iterations(pool);
                        parts.extend(last.facts());
                        let left = inner.is_left(pool, array, within, &last.borders);
                        let writing = inner.writing(pool, (array, within), &last, depth - 1, &mut parts);
                        let writing: Vec<Term> = writing.into_iter().map(|(choice, _)| choice).collect();
                        let wrote = pool.or_all(&writing);
                        parts.push(pool.or(left, wrote));
                        choices.push(pool.and(same, wrote));
                    }
                }
            }
            parts.push(pool.or_all(&choices));
            iterations.push((pool.and_all(&parts), here));
        }
        iterations
    }

    /// That no iteration has written an element.
    fn is_left(&self, pool: &mut Pool, array: usize, address: &[Term], borders: &Borders) -> Term {
        let [entry, behind] =
            [self.changed[array].entry, self.behind[array]].map(|array| element(pool, array, address));
        let unchanged = pool.eq(behind, entry);
        let border = borders.iter().find(|(bordered, _)| *bordered == array);
        match (border.and_then(|(_, border)| self.is_written(pool, border, *address.first()?)), address) {
            (Some(is_written), [_]) => {
                let not_written = pool.not(is_written);
                pool.and(unchanged, not_written)
            }
            _ => unchanged,
        }
    }
}

/// Adds what may write an array, or the row of it at an address, on the way of a backbone between two of its values. `None` if
/// something else happens to it.
fn add_writers(
    pool: &mut Pool,
    of: &Backbone,
    row: &Address,
    (start, mut value): (Term, Term),
    writers: &mut Vec<Writer>,
) -> Option<()> {
    while value != start {
        let behind = of.inner.iter().enumerate().find_map(|(number, inner)| {
            let array = inner.behind.iter().position(|&behind| behind == value)?;
            Some((number, array))
        });
        if let Some((number, array)) = behind {
            let inner = &of.inner[number];
            inner.writers_of_all(pool, array)?;
            writers.push(Writer::Loop { number, array, row: row.clone() });
            value = inner.changed[array].entry;
            continue;
        }
        let Node::Store(before, index, stored) = *pool.node(value) else { return None };
        let address = [&row[..], &[index]].concat();
        if matches!(pool.sort(stored), Sort::Array(_)) {
            let start = pool.select(before, index);
            add_writers(pool, of, &address, (start, stored), writers)?;
        } else {
            writers.push(Writer::Element(address));
        }
        value = before;
    }
    Some(())
}

/// That what an iteration writes is at an address.
fn same_place(pool: &mut Pool, written: &[Term], address: &[Term], iteration: &Instance) -> Term {
    let mut same = Vec::new();
    for (&index, &wanted) in written.iter().zip(address) {
        let index = pool.substitute(index, &iteration.pairs);
        same.push(pool.eq(index, wanted));
    }
    pool.and_all(&same)
}

/// That an element is in the row with which an iteration does something, and its address within that.
fn within<'a>(pool: &mut Pool, row: &[Term], address: &'a [Term], iteration: &Instance) -> (Term, &'a [Term]) {
    let (of_row, within) = address.split_at(row.len().min(address.len()));
    (same_place(pool, row, of_row, iteration), within)
}

/// An element of an array, or of one of its rows.
fn element(pool: &mut Pool, array: Term, address: &[Term]) -> Term {
    address.iter().fold(array, |array, &index| pool.select(array, index))
}
