//! Where references may come from, as far as objects of static fields are concerned.

use std::ops::BitOr;

/// Static fields and arguments, as a set.
pub(super) type Roots = u8;
/// A static field that callers cannot get at.
pub(super) const CLOSED: Roots = 1;
/// A static field that callers can get at.
pub(super) const OPEN: Roots = 2;
/// An argument: whoever can get at a static field may have passed what it refers to.
pub(super) const ARGUMENT: Roots = 4;

/// A static field of another class than the one that is being initialized.
pub(super) const FOREIGN: Roots = 8;

/// What a reference may be to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Origins {
    /// An object of these, or one that they lead to.
    is: Roots,
    /// Something whose changes may be changes of such objects: an iterator, a view, a stream that writes into another one.
    view: Roots,
    /// Something that holds such objects, and whose own changes are none of theirs.
    holds: Roots,
}

impl Origins {
    pub(super) const NONE: Origins = Origins { is: 0, view: 0, holds: 0 };

    /// An object of these.
    pub(super) fn of(roots: Roots) -> Origins {
        Origins { is: roots, ..Origins::NONE }
    }

    /// Something that holds objects of these.
    pub(super) fn holder(roots: Roots) -> Origins {
        Origins { holds: roots, ..Origins::NONE }
    }

    /// An object of these, or something by which they can be changed.
    pub(super) fn view(roots: Roots) -> Origins {
        Origins { is: roots, view: roots, holds: 0 }
    }

    /// All that it may have to do with.
    pub(super) fn roots(self) -> Roots {
        self.is | self.view | self.holds
    }

    /// Those whose objects change where what the reference is to changes.
    pub(super) fn changed_with(self) -> Roots {
        self.view
    }

    /// The object itself, if it is theirs.
    pub(super) fn itself(self) -> Roots {
        self.is
    }

    /// What a part of it may be: a field or an element.
    pub(super) fn part(self) -> Origins {
        Origins { is: self.is | self.holds, view: self.view | self.holds, holds: 0 }
    }
}

impl BitOr for Origins {
    type Output = Origins;

    fn bitor(self, other: Origins) -> Origins {
        Origins { is: self.is | other.is, view: self.view | other.view, holds: self.holds | other.holds }
    }
}
