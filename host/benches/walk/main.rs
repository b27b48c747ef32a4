//! What an event's walk costs: agent CLI → adapter → host → journal → client, measured against a
//! bare pipe from the same agent CLI in the same run.
//!
//! `cargo bench -p od-host --bench walk` needs the release build of `od-adapter-claude-code`. This
//! file only decides whether the platform can be measured; the bench itself lives in `bench/`.

#[cfg(unix)]
mod bench;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    bench::main()
}

#[cfg(not(unix))]
fn main() -> std::process::ExitCode {
    eprintln!("walk: nothing is measured here; the bench reads /proc and sends Unix signals");
    std::process::ExitCode::SUCCESS
}
