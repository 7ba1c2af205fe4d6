//! Says where the user's code learns something about the machine that the models fix.

use crate::members::MethodKey;
use crate::synthetic::entry;
use crate::translate::intrinsics::full_name;
use crate::translate::{Translated, Translator};
use aback_ir::builder::Builder;
use aback_ir::{Dispatch, OpKind};

const ENVIRONMENT: &str = "environment variables are not set, and there is one processor";
const COMMAND_LINE: &str = "the command line is one fixed choice";
const HARDWARE: &str = "the processor has no vector instructions";
/// The models do not know that a `HashCode` object computes the same hash codes as `HashCode.Combine`.
const HASHES: &str = "no System.HashCode object is asked for its hash code, which HashCode.Combine may give, too";

/// What the models assume of the machine where a method of the library tells something about it.
struct Assumed {
    what: &'static str,
    /// Whether a violation on such a machine counts: `--confirm` runs programs on one.
    is_possible: bool,
}

fn assumed(class: &str, name: &str) -> Option<Assumed> {
    let (what, is_possible) = match (class, name) {
        (
            "System.Environment",
            "GetEnvironmentVariable" | "GetEnvironmentVariables" | "ExpandEnvironmentVariables" | "get_ProcessorCount",
        ) => (ENVIRONMENT, true),
        ("System.Environment", "get_CommandLine" | "GetCommandLineArgs") => (COMMAND_LINE, false),
        ("System.Numerics.Vector", "get_Count" | "get_IsHardwareAccelerated") => (HARDWARE, false),
        (_, "get_IsSupported" | "get_IsHardwareAccelerated") if class.starts_with("System.Runtime.Intrinsics.") => {
            (HARDWARE, false)
        }
        _ => return None,
    };
    Some(Assumed { what, is_possible })
}

impl Translator<'_> {
    /// Before a call of the user's code: executions in which the library would tell something else are left out, visibly.
    pub(super) fn note_environment(&mut self, key: &MethodKey) -> Translated<()> {
        let Some((class, name)) = full_name(self.cs, key) else { return Ok(()) };
        if class == "System.HashCode" && name == "ToHashCode" && self.cs.loader.assemblies.own_code_names(&["Combine"])
        {
            self.op(OpKind::Doubt { without: HASHES.into() });
        }
        let Some(Assumed { what, is_possible }) = assumed(&class, &name) else { return Ok(()) };
        let method = self.cs.helper(what, &[], None, move |cs| {
            let mut code = Builder::new(&[]);
            if let Some(is_other) = entry::hidden_choice(cs, &mut code) {
                let as_fixed = entry::leave_out(&mut code, is_other, what);
                code.switch_to(as_fixed);
            }
            code.ret(None);
            code.finish()
        });
        self.op(OpKind::Call { dst: None, dispatch: Dispatch::Static, method, args: Vec::new() });
        if !is_possible {
            self.op(OpKind::Doubt { without: what.into() });
        }
        Ok(())
    }
}
