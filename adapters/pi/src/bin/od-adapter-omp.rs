//! The executable `od-adapter-omp`.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

fn main() -> ExitCode {
    od_sdk::serve(pi_family::OMP)
}
