//! Which variables cross a hop (host → adapter → agent CLI): data and one pure rule, the same on
//! both hops. Everything else stays behind.

/// Tells a process of an agent CLI which run it belongs to. Whoever ends what a run has left behind reads it.
pub const RUN_ID_VARIABLE: &str = "OD_RUN_ID";

/// Variables that cross by name, on every platform.
pub const ALLOWED_NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TZ",
    "TMPDIR",
    // Proxies and certificate authorities: without them a company's network is no network.
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

/// Variables that cross by the start of their name.
pub const ALLOWED_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// Variables that are always set: nobody is at a terminal.
pub const FIXED: &[(&str, &str)] = &[("TERM", "dumb"), ("NO_COLOR", "1")];

/// Markers by which an agent CLI sees that it was started by another; they never cross, whoever
/// declares them.
pub const NESTING_MARKERS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SSE_PORT",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "GEMINI_CLI",
    "QWEN_CODE",
    "OPENCODE",
    "COPILOT_CLI",
];

/// Whether a variable crosses a hop without being declared by a manifest.
pub fn crosses(name: &str) -> bool {
    // Windows does not tell cases apart; elsewhere the names are upper case as written.
    let known = |allowed: &&str| match cfg!(windows) {
        true => allowed.eq_ignore_ascii_case(name),
        false => *allowed == name,
    };
    let begins = |prefix: &&str| name.starts_with(*prefix);
    !is_nesting_marker(name)
        && (ALLOWED_NAMES.iter().any(known) || ALLOWED_PREFIXES.iter().any(begins))
}

/// Whether a variable says that an agent CLI runs inside another.
pub fn is_nesting_marker(name: &str) -> bool {
    NESTING_MARKERS.contains(&name)
}
