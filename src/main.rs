//! The `gothello-arena` program: arguments to [`gothello_arena::cli`], and its exit code back to the shell.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gothello_arena::cli::main().into()
}
