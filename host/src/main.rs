//! `od-host`, the command line of the host. The work is done by the library and `cli`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
