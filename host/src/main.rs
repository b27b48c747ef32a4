//! `od-host`, the command line of the host. The library and `cli` do the work.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
