//! `od-adapter-omp`: oh-my-pi as an OD adapter. Everything is in the library beside.
#![deny(clippy::print_stdout)]

use std::process::ExitCode;

fn main() -> ExitCode {
    od_sdk::serve(od_adapter_omp::OMP)
}
