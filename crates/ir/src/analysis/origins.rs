//! Represents the possible origins of references, as far as objects of static fields are concerned.

use std::ops::BitOr;

/// A set of roots, as a bit mask: kinds of static fields, arguments, and new objects.
pub(super) type Roots = u8;
/// A static field that callers cannot access.
pub(super) const CLOSED: Roots = 1;
/// A static field that callers can access.
pub(super) const OPEN: Roots = 2;
/// An argument: a caller that can access a static field may pass an object of the field.
pub(super) const ARGUMENT: Roots = 4;

/// A static field of another class than the one that is being initialized.
pub(super) const FOREIGN: Roots = 8;

/// No static field, but a new object of a class that is watched. Its parts are followed field by field, and not as parts
/// of the object, unless platform code holds it.
pub(super) const NEW: Roots = 16;

/// The objects that a reference may refer to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Origins {
    /// An object of these roots, or one that such an object leads to.
    is: Roots,
    /// An object whose changes may change such objects: an iterator, a view, a stream that writes into another one.
    view: Roots,
    /// An object that holds such objects, and whose own changes do not change them.
    holds: Roots,
}

impl Origins {
    pub(super) const NONE: Origins = Origins { is: 0, view: 0, holds: 0 };

    /// An object of these roots.
    pub(super) fn of(roots: Roots) -> Origins {
        Origins { is: roots, ..Origins::NONE }
    }

    /// An object that holds objects of these roots.
    pub(super) fn holder(roots: Roots) -> Origins {
        Origins { holds: roots, ..Origins::NONE }
    }

    /// An object of these roots, or an object through which they can be changed.
    pub(super) fn view(roots: Roots) -> Origins {
        Origins { is: roots, view: roots, holds: 0 }
    }

    /// All roots that the object may be related to.
    pub(super) fn roots(self) -> Roots {
        self.is | self.view | self.holds
    }

    /// The roots whose objects change when the object changes.
    pub(super) fn changed_with(self) -> Roots {
        self.view
    }

    /// The roots of which it may be an object.
    pub(super) fn itself(self) -> Roots {
        self.is
    }

    /// The origins of the object if it can hold no objects.
    pub(super) fn without_held(self) -> Origins {
        Origins { holds: 0, ..self }
    }

    /// The origins of a part of the object: a field or an element.
    pub(super) fn part(self) -> Origins {
        let is = self.held_by_others().is;
        Origins { is: is | self.holds, view: self.view | self.holds, holds: 0 }
    }

    /// The origins without new objects of watched classes, and without platform objects that hold such objects.
    pub(super) fn of_others(self) -> Origins {
        Origins { is: self.is & !NEW, view: self.view & !NEW, holds: self.holds & !NEW }
    }

    /// The origins without new objects of watched classes themselves.
    pub(super) fn held_by_others(self) -> Origins {
        Origins { is: self.is & !NEW | self.view & NEW, ..self }
    }

    /// The origins as far as they are new objects of watched classes.
    pub(super) fn new_objects(self) -> Origins {
        Origins { is: self.is & NEW, view: self.view & NEW, holds: self.holds & NEW }
    }
}

impl BitOr for Origins {
    type Output = Origins;

    fn bitor(self, other: Origins) -> Origins {
        Origins { is: self.is | other.is, view: self.view | other.view, holds: self.holds | other.holds }
    }
}
