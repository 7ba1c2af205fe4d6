//! Which rows have a name, or belong to a type?

use crate::tables::{Metadata, Table};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Rows by the hash of their namespace and name.
pub(crate) struct NameIndex(Vec<(u64, u32)>);

impl NameIndex {
    /// Indexes rows with their namespaces and names.
    pub(crate) fn new<'a>(rows: impl Iterator<Item = (u32, &'a str, &'a str)>) -> NameIndex {
        let mut index: Vec<_> = rows.map(|(row, namespace, name)| (hash(namespace, name), row)).collect();
        index.sort_unstable();
        NameIndex(index)
    }

    /// Rows that may have this namespace and name.
    pub(crate) fn candidates(&self, namespace: &str, name: &str) -> impl Iterator<Item = u32> {
        let hash = hash(namespace, name);
        let start = self.0.partition_point(|&(candidate, _)| candidate < hash);
        self.0[start..].iter().take_while(move |&&(candidate, _)| candidate == hash).map(|&(_, row)| row)
    }
}

fn hash(namespace: &str, name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    (namespace, name).hash(&mut hasher);
    hasher.finish()
}

/// The nested types of each type.
pub(crate) struct Nested {
    /// For each type, from row 1, where its nested types start; and the end.
    starts: Vec<u32>,
    types: Vec<u32>,
}

impl Nested {
    pub(crate) fn new(metadata: &Metadata) -> Nested {
        let count = metadata.rows(Table::TypeDef);
        let mut pairs: Vec<(u32, u32)> = (1..=metadata.rows(Table::NestedClass))
            .filter_map(|row| metadata.row(Table::NestedClass, row).ok())
            .map(|row| (row.u32(1), row.u32(0)))
            .filter(|(enclosing, nested)| (1..=count).contains(enclosing) && (1..=count).contains(nested))
            .collect();
        pairs.sort_unstable();
        let mut starts = Vec::with_capacity(count as usize + 1);
        let mut next = 0;
        for row in 1..=count {
            starts.push(next as u32);
            next += pairs[next..].iter().take_while(|(enclosing, _)| *enclosing == row).count();
        }
        starts.push(next as u32);
        Nested { starts, types: pairs.into_iter().map(|(_, nested)| nested).collect() }
    }

    pub(crate) fn of(&self, type_row: u32) -> &[u32] {
        let index = type_row.wrapping_sub(1) as usize;
        match self.starts.get(index..).unwrap_or_default() {
            [start, end, ..] => &self.types[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

/// Rows of a table that maps types to runs (`PropertyMap`, `EventMap`), by the type. Neither need be sorted.
pub(crate) fn by_type(metadata: &Metadata, table: Table) -> FxHashMap<u32, u32> {
    let rows = (1..=metadata.rows(table)).filter_map(|row| metadata.row(table, row).ok());
    rows.map(|row| (row.u32(0), row.number)).collect()
}
