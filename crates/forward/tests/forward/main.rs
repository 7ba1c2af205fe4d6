//! Small programs with known answers, and random programs compared with the concrete interpreter.

mod common;
mod random;
mod speed;
