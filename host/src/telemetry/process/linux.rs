//! Our own process, from /proc.

/// Memory in use, in bytes.
pub(in crate::telemetry) fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Open files, the one that counts them excluded.
pub(in crate::telemetry) fn open_files() -> Option<u64> {
    let entries = std::fs::read_dir("/proc/self/fd").ok()?.count();
    Some(entries.saturating_sub(1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_about_us() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 100_000));
        let before = open_files().expect("a count");
        let _file = std::fs::File::open("/dev/null").expect("a file");
        assert!(open_files().expect("a count") > before);
    }
}
