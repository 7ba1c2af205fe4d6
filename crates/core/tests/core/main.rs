//! Answers to questions about whole programs, by topic. One binary, so that its tests share all cores and what they read of
//! the JDK.

mod array_types;
mod assumed;
mod attack;
mod before;
mod blamed;
mod calls;
mod csharp;
mod differential;
mod encodings;
mod environment;
mod explore;
mod failed_assertions;
mod hostile;
mod indirect;
mod input_limits;
mod invariants;
mod jobs;
mod known_violations;
mod loops;
mod made;
mod meaning;
mod models;
mod mutants;
mod nullness;
mod numbered;
mod random;
mod random_csharp;
mod session;
mod shipped;
mod slices;
mod structures;
mod trails;
mod valid;
mod witnesses;
mod wrapped;
