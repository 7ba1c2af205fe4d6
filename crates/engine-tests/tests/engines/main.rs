//! Small programs with known answers on every engine, and random programs compared with the concrete interpreter.

mod array_loops;
mod array_writes;
mod calls;
mod growing;
mod heaps;
mod input_heap;
mod input_limits;
mod joins;
mod limits;
mod loop_relations;
mod loop_states;
mod loops;
mod operations;
mod pruned_loops;
mod random;
mod random_loops;
mod recursion;
mod search;
mod sharing;
mod slices;
mod speed;
mod subsumption;

use aback_engine_tests as common;
