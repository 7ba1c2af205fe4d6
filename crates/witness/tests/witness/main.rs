//! Tests of the interpreter and of inputs, through the public interface.

mod arithmetic;
mod calls;
mod growing;
mod heap;
mod inputs;
mod limits;
mod output;
mod record;
mod strings;
mod throwers;
mod world;
