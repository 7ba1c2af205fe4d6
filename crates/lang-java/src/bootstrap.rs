//! Reads the bootstrap methods of invokedynamic instructions (JVM specification, 4.7.23).
//!
//! They are read separately from the rest of a class file, because the library that parses the rest rejects bootstrap
//! methods with computed arguments (4.4.10), which many switches over patterns have.

use crate::slim::Pool;
use crate::synthetic::constants::decode;

/// A bootstrap method with its arguments.
pub(crate) struct Bootstrap {
    pub(crate) method: Handle,
    pub(crate) args: Vec<Argument>,
}

/// An argument of a bootstrap method.
pub(crate) enum Argument {
    Int(i32),
    Long(i64),
    /// A float or a double.
    Float,
    /// A string, by its code units.
    String(Vec<u16>),
    /// A class, by its name in class files.
    Class(String),
    Handle(Handle),
    /// A method descriptor.
    MethodType(String),
    Computed(Computed),
}

/// A constant that a bootstrap method computes.
pub(crate) struct Computed {
    pub(crate) bootstrap: Bootstrap,
    pub(crate) name: String,
}

/// A method handle.
pub(crate) struct Handle {
    pub(crate) kind: ReferenceKind,
    pub(crate) class: String,
    pub(crate) name: String,
    pub(crate) descriptor: String,
}

/// The action of a method handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReferenceKind {
    /// Reads or writes a field.
    Field,
    Virtual,
    Static,
    Special,
    New,
    Interface,
}

/// The offsets of parts of a class file.
pub(crate) struct Layout {
    /// The offsets of the constant pool's entries, by index; 0 for an unused index. The last one is the end of the
    /// pool.
    constants: Vec<usize>,
    /// The bootstrap methods as in the class file.
    methods: Vec<u8>,
}

/// Greatest nesting of computed constants. Compilers do not generate deeper nesting.
const MAX_DEPTH: u32 = 16;

/// Reads bytes from an offset on.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) at: usize,
}

impl<'b> Reader<'b> {
    pub(crate) fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    pub(crate) fn u1(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub(crate) fn u2(&mut self) -> Option<u16> {
        self.take(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    pub(crate) fn u4(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    /// Skips all fields or all methods.
    fn members(&mut self) -> Option<()> {
        for _ in 0..self.u2()? {
            self.take(6)?;
            for _ in 0..self.u2()? {
                self.take(2)?;
                let length = self.u4()?;
                self.take(length as usize)?;
            }
        }
        Some(())
    }
}

impl Layout {
    /// The layout of a class file. Replaces the computed arguments of bootstrap methods in `bytes` by other
    /// constants.
    pub(crate) fn hide_computed(bytes: &mut [u8]) -> Option<Layout> {
        let (mut layout, place) = Layout::read(bytes)?;
        let Some(place) = place else { return Some(layout) };
        let mut methods = Reader { bytes, at: place };
        let mut hidden = Vec::new();
        for _ in 0..methods.u2()? {
            methods.take(2)?;
            for _ in 0..methods.u2()? {
                let at = methods.at;
                if layout.constant(bytes, methods.u2()?)?.0 == 17 {
                    hidden.push(at);
                }
            }
        }
        layout.methods = bytes[place..methods.at].to_vec();
        let this_class = *layout.constants.last()? + 2;
        for at in hidden {
            bytes.copy_within(this_class..this_class + 2, at);
        }
        Some(layout)
    }

    /// The constant pool.
    pub(crate) fn pool<'b>(&'b self, bytes: &'b [u8]) -> Option<Pool<'b>> {
        let (&end, constants) = self.constants.split_last()?;
        Some(Pool { bytes, constants, end })
    }

    /// The layout and the offset of the bootstrap methods.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Layout, Option<usize>)> {
        let mut reader = Reader { bytes, at: 8 };
        let count = usize::from(reader.u2()?);
        let mut layout = Layout { constants: vec![0], methods: Vec::new() };
        while layout.constants.len() < count {
            layout.constants.push(reader.at);
            let size = match reader.u1()? {
                1 => usize::from(reader.u2()?),
                7 | 8 | 16 | 19 | 20 => 2,
                15 => 3,
                3 | 4 | 9..=12 | 17 | 18 => 4,
                5 | 6 => {
                    layout.constants.push(0);
                    8
                }
                _ => return None,
            };
            reader.take(size)?;
        }
        layout.constants.push(reader.at);
        reader.take(6)?;
        let interfaces = usize::from(reader.u2()?);
        reader.take(2 * interfaces)?;
        reader.members()?;
        reader.members()?;
        for _ in 0..reader.u2()? {
            let name = reader.u2()?;
            let length = reader.u4()?;
            if layout.utf8(bytes, name) == Some(b"BootstrapMethods") {
                return Some((layout, Some(reader.at)));
            }
            reader.take(length as usize)?;
        }
        Some((layout, None))
    }

    /// The tag of a constant, and a reader at its content.
    fn constant<'b>(&self, bytes: &'b [u8], index: u16) -> Option<(u8, Reader<'b>)> {
        let place = *self.constants[..self.constants.len() - 1].get(usize::from(index))?;
        let mut reader = Reader { bytes, at: place };
        Some((reader.u1().filter(|_| place > 0)?, reader))
    }

    fn utf8<'b>(&self, bytes: &'b [u8], index: u16) -> Option<&'b [u8]> {
        let (1, mut reader) = self.constant(bytes, index)? else { return None };
        let length = reader.u2()?;
        reader.take(length.into())
    }

    fn text(&self, bytes: &[u8], index: u16) -> Option<String> {
        Some(String::from_utf16_lossy(&decode(self.utf8(bytes, index)?)))
    }

    /// The bootstrap method with this index.
    pub(crate) fn bootstrap(&self, bytes: &[u8], number: u16) -> Option<Bootstrap> {
        self.nested_bootstrap(bytes, number, 0)
    }

    fn nested_bootstrap(&self, bytes: &[u8], number: u16, depth: u32) -> Option<Bootstrap> {
        let mut reader = Reader { bytes: &self.methods, at: 0 };
        if number >= reader.u2()? || depth > MAX_DEPTH {
            return None;
        }
        for _ in 0..number {
            reader.take(2)?;
            let args = usize::from(reader.u2()?);
            reader.take(2 * args)?;
        }
        let (15, handle) = self.constant(bytes, reader.u2()?)? else { return None };
        let method = self.handle(bytes, handle)?;
        let count = reader.u2()?;
        let args = (0..count).map(|_| self.argument(bytes, reader.u2()?, depth)).collect::<Option<_>>()?;
        Some(Bootstrap { method, args })
    }

    fn argument(&self, bytes: &[u8], index: u16, depth: u32) -> Option<Argument> {
        let (tag, mut reader) = self.constant(bytes, index)?;
        Some(match tag {
            3 => Argument::Int(reader.u4()? as i32),
            5 => Argument::Long((u64::from(reader.u4()?) << 32 | u64::from(reader.u4()?)) as i64),
            4 | 6 => Argument::Float,
            7 => Argument::Class(self.text(bytes, reader.u2()?)?),
            8 => Argument::String(decode(self.utf8(bytes, reader.u2()?)?)),
            15 => Argument::Handle(self.handle(bytes, reader)?),
            16 => Argument::MethodType(self.text(bytes, reader.u2()?)?),
            17 => {
                let bootstrap = self.nested_bootstrap(bytes, reader.u2()?, depth + 1)?;
                let (name, _) = self.name_and_type(bytes, reader.u2()?)?;
                Argument::Computed(Computed { bootstrap, name })
            }
            _ => return None,
        })
    }

    fn name_and_type(&self, bytes: &[u8], index: u16) -> Option<(String, String)> {
        let (12, mut reader) = self.constant(bytes, index)? else { return None };
        Some((self.text(bytes, reader.u2()?)?, self.text(bytes, reader.u2()?)?))
    }

    fn handle(&self, bytes: &[u8], mut reader: Reader) -> Option<Handle> {
        let kind = match reader.u1()? {
            1..=4 => ReferenceKind::Field,
            5 => ReferenceKind::Virtual,
            6 => ReferenceKind::Static,
            7 => ReferenceKind::Special,
            8 => ReferenceKind::New,
            9 => ReferenceKind::Interface,
            _ => return None,
        };
        let (9..=11, mut member) = self.constant(bytes, reader.u2()?)? else { return None };
        let (7, mut class) = self.constant(bytes, member.u2()?)? else { return None };
        let class = self.text(bytes, class.u2()?)?;
        let (name, descriptor) = self.name_and_type(bytes, member.u2()?)?;
        Some(Handle { kind, class, name, descriptor })
    }
}
