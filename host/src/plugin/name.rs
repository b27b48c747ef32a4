//! The name rule of adapter executables: `od-adapter-<id>`.

/// What the file name of an adapter starts with.
pub(crate) const ADAPTER_PREFIX: &str = "od-adapter-";
const MAX_ID_BYTES: usize = 41;

/// Returns the adapter id in a file name; `None` when the file is not an adapter.
pub(crate) fn adapter_id(file_name: &str) -> Option<&str> {
    let stem = file_name.strip_suffix(".exe").unwrap_or(file_name);
    let id = stem.strip_prefix(ADAPTER_PREFIX)?;
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (id.len() <= MAX_ID_BYTES
        && id.starts_with(|first: char| first.is_ascii_lowercase())
        && id.bytes().all(fits))
    .then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapter_id_follows_name_rule() {
        assert_eq!(adapter_id("od-adapter-demo-two"), Some("demo-two"));
        assert_eq!(adapter_id("od-adapter-x2.exe"), Some("x2"));
        let longest = format!("od-adapter-{}", "a".repeat(41));
        assert!(adapter_id(&longest).is_some() && adapter_id(&format!("{longest}a")).is_none());
        for bad in [
            "od-adapter-",
            "od-adapter-2x",
            "od-adapter-X",
            "od-adapter-a_b",
            "od-adapter-a.sh",
            "adapter-a",
        ] {
            assert_eq!(adapter_id(bad), None, "{bad}");
        }
    }
}
