//! Java becomes programs.
//!
//! [`classpath`] finds class files by name: among the user's files, in their libraries and in the JDK.

pub mod classpath;
