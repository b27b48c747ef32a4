//! The table of error kinds, written a second time: a code never changes its meaning.

use od_protocol::{ErrorKind, ErrorObject};

const TABLE: &[(i32, &str)] = &[
    (-32700, "parse_error"),
    (-32600, "invalid_request"),
    (-32601, "method_not_found"),
    (-32602, "invalid_params"),
    (-32603, "internal"),
    (-32800, "request_cancelled"),
    (1001, "unsupported_protocol"),
    (1002, "not_initialized"),
    (1003, "already_initialized"),
    (1004, "shutting_down"),
    (1005, "capability_unsupported"),
    (1006, "config_invalid"),
    (1010, "cli_not_found"),
    (1011, "cli_version_unsupported"),
    (1012, "cli_spawn_failed"),
    (1013, "cli_crashed"),
    (1014, "cli_protocol"),
    (1020, "auth_missing"),
    (1021, "auth_expired"),
    (1022, "auth_wrong_account"),
    (1023, "permission_denied"),
    (1030, "rate_limited"),
    (1031, "quota_exhausted"),
    (1032, "context_exceeded"),
    (1033, "model_unknown"),
    (1034, "prompt_too_large"),
    (1040, "run_unknown"),
    (1041, "run_id_in_use"),
    (1042, "too_many_runs"),
    (1043, "session_unknown"),
    (1044, "session_busy"),
    (1045, "approval_unknown"),
    (1050, "timeout"),
    (1051, "network_unreachable"),
    (1052, "plugin_crashed"),
    (1053, "plugin_hung"),
];

#[test]
fn codes_and_kinds_match_specification() {
    let found: Vec<(i32, &str)> =
        ErrorKind::KNOWN.iter().map(|kind| (kind.code(), kind.as_str())).collect();
    assert_eq!(found, TABLE);
}

#[test]
fn kind_reads_back_as_written() {
    for kind in ErrorKind::KNOWN {
        assert_eq!(ErrorKind::from_wire(kind.as_str()), *kind);
    }
}

#[test]
fn error_without_data_gets_kind_from_code() {
    for (code, kind) in TABLE {
        let error = ErrorObject { code: *code, message: "x".to_owned(), data: None };
        assert_eq!(error.kind().as_str(), *kind);
    }
    let foreign = ErrorObject { code: 77, message: "x".to_owned(), data: None };
    assert_eq!(foreign.kind(), ErrorKind::Internal);
}

#[test]
fn vendor_kind_has_vendor_code() {
    assert_eq!(ErrorKind::Vendor("_x.y".to_owned()).code(), 2000);
}

#[test]
fn error_shows_kind_message_and_hint() {
    let error = ErrorObject::new(ErrorKind::Timeout, "no output in 30 s")
        .with_hint("raise timeouts.startMs")
        .with_which("start");
    assert_eq!(error.to_string(), "timeout: no output in 30 s");
    assert_eq!(error.hint(), Some("raise timeouts.startMs"));
    assert_eq!(error.data.expect("data").which.as_deref(), Some("start"));
}

#[test]
fn kind_decides_whether_error_is_retryable() {
    let retryable = |kind: &str| {
        let error = ErrorObject::new(ErrorKind::from_wire(kind), "x");
        error.data.expect("data").retryable
    };
    for kind in ["rate_limited", "timeout", "plugin_hung", "_od.queue_full", "_od.run_waiting"] {
        assert!(retryable(kind), "{kind}");
    }
    for kind in ["invalid_params", "auth_missing", "_od.usage", "_vendor.x", "model_unknown"] {
        assert!(!retryable(kind), "{kind}");
    }
}
