//! Small programs with known answers, and random programs compared with the concrete interpreter.

mod calls;
mod common;
mod growing;
mod input_heap;
mod operations;
mod random;
mod search;
mod speed;
