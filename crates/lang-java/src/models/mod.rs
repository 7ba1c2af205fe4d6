//! Models of what the library does not do in bytecode.
