//! Computes facts about programs and bodies that engines need.
//!
//! No analysis recurses over structures whose size depends on the user's program. The time of those of a body is linear
//! in it, up to a logarithm. Those of the whole program may take long, and can be told to [`Stop`].
//!
//! ```
//! use aback_ir::analysis::{Cfg, Dominators, Loops};
//! use aback_ir::BlockId;
//!
//! let program = aback_ir::text::parse(
//!     "class A {
//!        static method count(n: i32) -> i32 {
//!          local i: i32
//!        b0: goto b1
//!        b1: if i < n goto b2 else b3
//!        b2: i := i + 1i32; goto b1
//!        b3: return i
//!        }
//!      }",
//! )?;
//! let (method, _) = program.methods().next().unwrap();
//! let cfg = Cfg::new(program.body(method).unwrap());
//! let loops = Loops::new(&cfg, &Dominators::new(&cfg));
//! let (id, found) = loops.iter().next().unwrap();
//! assert_eq!(found.header, BlockId(1));
//! assert_eq!(loops.blocks(id), [BlockId(1), BlockId(2)]);
//! # Ok::<(), aback_ir::text::ParseError>(())
//! ```

mod callbacks;
mod callgraph;
mod cfg;
mod constants;
mod dependence;
mod distance;
mod dominators;
mod established;
mod fingerprint;
mod flow;
mod functions;
mod given;
mod indirect;
mod influence;
mod initialization;
mod lines;
mod liveness;
mod loops;
mod nesting;
mod null_tests;
mod observers;
mod origins;
mod outline;
mod reached;
mod relevance;
mod required;
mod returning;
mod statics;

pub use callbacks::Callbacks;
pub use callgraph::{CallGraph, CallGraphConfig, Inputs};
pub use cfg::Cfg;
pub use dependence::passes_parameters;
pub use distance::Distance;
pub use dominators::{Dominators, PostDominators};
pub use established::never_null_once_made;
pub use fingerprint::{Fingerprint, Fingerprints};
pub use flow::{are_related, types_behind};
pub use functions::FunctionObjects;
pub use given::{Callers, Given, GivenObjects};
pub use indirect::IndirectCode;
pub use influence::Influence;
pub use initialization::{
    Effects, depends_on_order, initializations_that_run, initialized_by_objects, initialized_for_arguments,
    initialized_on_the_way, noticed_initializations, with_enclosing, written_by_initialization,
};
pub use lines::{NoCode, files_matching, methods_at_line, points_at_line};
pub use liveness::Liveness;
pub use loops::{Loop, LoopId, Loops};
pub use nesting::{Nesting, Passage};
pub use null_tests::provides_for_null;
pub use reached::{all_reached, allocated, is_made_here, leading_to, reached, runs_platform_code};
pub use relevance::Relevance;
pub use required::Required;
pub use returning::Returning;
pub use statics::{Differing, Statics};

/// Whether an analysis of the whole program has to give up, because of a time limit or an interrupt.
pub type Stop<'s> = &'s dyn Fn() -> bool;

/// An analysis has been given up.
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

/// A list of `u32`s for each key in `0..n`, in two allocations.
#[derive(Clone, Debug, Default)]
struct Lists {
    /// The start of each list in `items`, and the end of the last one.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The lists of the keys `0..count`; they hold the values of `pairs` in order.
    fn new(count: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; count + 1];
        for &(key, _) in pairs {
            starts[key as usize + 1] += 1;
        }
        for key in 0..count {
            starts[key + 1] += starts[key];
        }
        let mut next = starts.clone();
        let mut items = vec![0; pairs.len()];
        for &(key, value) in pairs {
            let place = &mut next[key as usize];
            items[*place as usize] = value;
            *place += 1;
        }
        Lists { starts, items }
    }

    fn of(&self, key: u32) -> &[u32] {
        let key = key as usize;
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}
