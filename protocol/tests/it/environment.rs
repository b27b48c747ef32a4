//! Which variables pass from host to adapter to agent CLI.

use od_protocol::environment::{FIXED, crosses};

#[test]
fn variables_of_every_program_cross() {
    for name in ["PATH", "HOME", "TZ", "LC_ALL", "XDG_CONFIG_HOME", "https_proxy", "SSL_CERT_FILE"]
    {
        assert!(crosses(name), "{name}");
    }
}

#[test]
fn undeclared_variables_do_not_cross() {
    for name in ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "XLC_ALL", "PATHX", ""] {
        assert!(!crosses(name), "{name}");
    }
}

#[test]
fn terminal_variables_are_fixed() {
    assert_eq!(FIXED, [("TERM", "dumb"), ("NO_COLOR", "1")]);
}
