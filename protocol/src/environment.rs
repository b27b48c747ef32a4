//! Which variables pass from the host to an adapter and from an adapter to its agent CLI.
//!
//! The same rule applies to both steps: a variable passes when it is in one of these lists or when the manifest
//! declares it. Everything else stays behind.

/// Names the run that a process of an agent CLI belongs to, so that orphaned processes can be found.
pub const RUN_ID_VARIABLE: &str = "OD_RUN_ID";

/// Variables that pass by name, on every platform.
pub const ALLOWED_NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TZ",
    "TMPDIR",
    // Proxies and certificate authorities: company networks cannot be used without them.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    // The Windows basics.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
];

/// Variables that pass by the start of their name.
pub const ALLOWED_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// Variables that always have these values, because no terminal is attached.
pub const FIXED: &[(&str, &str)] = &[("TERM", "dumb"), ("NO_COLOR", "1")];

/// Whether a variable passes without being declared by a manifest.
///
/// ```
/// use od_protocol::environment::crosses;
///
/// assert!(crosses("PATH") && crosses("LC_ALL"));
/// assert!(!crosses("AWS_SECRET_ACCESS_KEY"));
/// ```
pub fn crosses(name: &str) -> bool {
    // Windows ignores the case of names; elsewhere a name must match exactly.
    let is_same = |allowed: &&str| match cfg!(windows) {
        true => allowed.eq_ignore_ascii_case(name),
        false => *allowed == name,
    };
    ALLOWED_NAMES.iter().any(is_same)
        || ALLOWED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
