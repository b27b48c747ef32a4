//! The cost of the event pipeline, agent CLI → adapter → host → journal → client, compared with a raw pipe from the same
//! agent CLI in the same run.
//!
//! `cargo bench -p od-host --bench pipeline` needs the release build of `od-adapter-claude-code`. This
//! file only checks whether the platform is supported; the bench is in `bench/`.

#[cfg(unix)]
mod bench;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    bench::main()
}

#[cfg(not(unix))]
fn main() -> std::process::ExitCode {
    eprintln!("pipeline: skipped; the bench needs /proc and Unix signals");
    std::process::ExitCode::SUCCESS
}
