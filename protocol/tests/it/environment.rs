//! Which variables cross a hop: the rule of the specification, by example.

use od_protocol::environment::{FIXED, NESTING_MARKERS, crosses, is_nesting_marker};

#[test]
fn what_every_program_needs_crosses() {
    for name in ["PATH", "HOME", "TZ", "LC_ALL", "XDG_CONFIG_HOME", "https_proxy", "SSL_CERT_FILE"]
    {
        assert!(crosses(name), "{name}");
    }
}

#[test]
fn secrets_and_strangers_stay_behind() {
    for name in ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "XLC_ALL", "PATHX", ""] {
        assert!(!crosses(name), "{name}");
    }
}

#[test]
fn no_nesting_marker_crosses() {
    for name in NESTING_MARKERS {
        assert!(is_nesting_marker(name) && !crosses(name), "{name}");
    }
}

#[test]
fn a_cli_is_told_that_nobody_is_at_a_terminal() {
    assert_eq!(FIXED, [("TERM", "dumb"), ("NO_COLOR", "1")]);
}
