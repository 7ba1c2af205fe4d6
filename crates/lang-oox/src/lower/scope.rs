//! Maps the names of local variables to variables.
//!
//! A method has one flat namespace (paper 4: a stack frame is one mapping). A second declaration of a name means the
//! same variable if the type is the same; otherwise the name denotes a new variable from there on.

use aback_ir::{LocalId, Span, Type};
use rustc_hash::FxHashMap;

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    /// The variable; `None` if its declaration has an error that has been reported.
    pub local: Option<LocalId>,
    /// The nested statement with the declaration that changed the type of the name, if there is one.
    retyped_in: Option<u32>,
}

/// A variable that has only been null so far, so that its type is unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undetermined {
    /// The type of its declaration, if that type has no null.
    pub declared: Option<Type>,
    /// The declaration.
    pub span: Span,
}

/// The namespace of a method.
#[derive(Default)]
pub(crate) struct Scope<'a> {
    names: FxHashMap<&'a str, Binding>,
    /// Numbers of the nested statements that are being lowered.
    open: Vec<u32>,
    statements: u32,
    /// Variables without a known type.
    pub undetermined: FxHashMap<LocalId, Undetermined>,
}

impl<'a> Scope<'a> {
    /// The meaning of `name`.
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.names.get(name).copied()
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.keys().copied()
    }

    /// Gives a name a meaning. Returns the earlier one.
    pub fn bind(&mut self, name: &'a str, local: Option<LocalId>) -> Option<Binding> {
        self.names.insert(name, Binding { local, retyped_in: None })
    }

    /// Gives a name another meaning, because it is declared again with another type.
    pub fn rebind(&mut self, name: &'a str, local: LocalId) {
        let retyped_in = self.open.last().copied();
        self.names.insert(name, Binding { local: Some(local), retyped_in });
    }

    /// Restores the meaning of a name before [`Scope::bind`].
    pub fn restore(&mut self, name: &'a str, earlier: Option<Binding>) {
        match earlier {
            Some(binding) => self.names.insert(name, binding),
            None => self.names.remove(name),
        };
    }

    /// Enters a statement that may not run.
    pub fn open(&mut self) {
        self.statements += 1;
        self.open.push(self.statements);
    }

    /// Leaves the statement entered last.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// Whether `name` got its meaning in a statement that has been left, and had another one before. True only once for
    /// each such meaning.
    pub fn is_doubtful(&mut self, name: &str) -> bool {
        let Some(binding) = self.names.get_mut(name) else { return false };
        let doubtful = binding.retyped_in.is_some_and(|statement| self.open.binary_search(&statement).is_err());
        if doubtful {
            binding.retyped_in = None;
        }
        doubtful
    }

    /// Forgets all names except `keep`.
    pub fn reset(&mut self, keep: impl IntoIterator<Item = (&'a str, LocalId)>) {
        self.names.clear();
        for (name, local) in keep {
            self.bind(name, Some(local));
        }
    }
}
