//! Inspecting and ending processes. Each platform has the same functions in its own file; what is
//! running is inspected on Linux only, and [`CAN_INSPECT`] is false elsewhere.

#[cfg(target_os = "linux")]
#[path = "inspect_linux.rs"]
mod inspect;
#[cfg(not(target_os = "linux"))]
#[path = "inspect_none.rs"]
mod inspect;
mod search_path;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;
mod wait;
mod window_size;

pub use inspect::{
    CAN_INSPECT, command_line, cpu_time, descendants, is_alive, left_below, memory_kib, open_files,
    processes_of, running_from, zombies,
};
pub use search_path::own_search_path;
pub use system::{
    SIGNALS, SYSTEM_PATH, become_program, copy_program, die_by, executable_name, is_root, kill,
    kill_tree, leave_session, link_file, link_folder, make_fifo, refuse_stdin, search_path,
    set_mode, signal, take_terminal, user_names, watch_signals,
};
pub use wait::{Process, wait_for};
pub use window_size::WindowSize;
