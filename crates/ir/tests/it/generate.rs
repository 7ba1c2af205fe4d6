//! Properties over programs and texts that chance makes.
