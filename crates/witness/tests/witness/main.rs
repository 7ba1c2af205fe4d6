//! Tests of the interpreter and of inputs, through the public interface.

mod arithmetic;
mod calls;
mod heap;
mod inputs;
mod limits;
mod output;
mod throwers;
mod world;
