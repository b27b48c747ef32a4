//! Tables of version texts and comparisons.

use super::*;

fn compare(one: &str, other: &str) -> Ordering {
    let parse = |text| CliVersion::parse(text).expect("a version");
    parse(one).cmp(&parse(other))
}

#[test]
fn version_is_found_in_free_text() {
    for (text, program, expected) in [
        ("2.1.197 (Acme Code)\n", "acme", Some("2.1.197")),
        ("acme-cli 0.166.0\n", "acme", Some("0.166.0")),
        ("Acme Agent CLI 1.0.102.\nRun 'acme update'", "acme", Some("1.0.102")),
        ("acme/18.2.3", "acme", Some("18.2.3")),
        ("v0.46.0", "acme", Some("0.46.0")),
        ("Acme Agent v0.9.1 (2026.10.3)", "acme", Some("0.9.1")),
        ("2025.09.18-7ae6800", "acme-agent", Some("2025.09.18-7ae6800")),
        ("\x1b[32m1.2.3-beta.4\x1b[0m", "x", Some("1.2.3-beta.4")),
        ("acme 0.86.2.dev12", "acme", Some("0.86.2.dev12")),
        ("tool 1.0rc1, built today", "tool", Some("1.0rc1")),
        ("(node:7) Warning: Node 18.0.0 is old\nacme, version 1.52.0", "acme", Some("1.52.0")),
        ("Python 3.12.1\nacme 1.4.0", "acme", Some("1.4.0")),
        ("Using node 22.1.0\n3.2.1", "x", Some("3.2.1")),
        ("7", "x", Some("7")),
        ("started in 0.35s", "x", None),
        ("/usr/lib/python3.12/site-packages", "x", None),
        ("2026-11-16T01:02:03.123Z ready", "x", None),
        ("no version here", "x", None),
        ("", "x", None),
    ] {
        assert_eq!(find_in_text(text, program).as_deref(), expected, "{text:?}");
    }
}

#[test]
fn versions_are_ordered() {
    for (older, newer) in [
        ("1.9.0", "1.10.0"),
        ("2.1", "2.1.1"),
        ("2.1.0-beta.2", "2.1.0-beta.10"),
        ("2.1.0-beta.2", "2.1.0"),
        ("2.1.0-alpha", "2.1.0-beta"),
        ("1.0rc1", "1.0"),
        ("1.0.dev3", "1.0"),
        ("0.9.9.9.9", "1"),
        ("2025.09.18", "2025.10.1-7ae6800"),
    ] {
        assert_eq!(compare(older, newer), Ordering::Less, "{older} < {newer}");
        assert_eq!(compare(newer, older), Ordering::Greater, "{newer} > {older}");
    }
    for (one, other) in [
        ("2.1", "2.1.0"),
        ("v22.1.0", "22.1.0"),
        ("1.2.3+build.7", "1.2.3"),
        ("2025.09.18-7ae6800", "2025.09.18"),
        ("2025.09.18-beef123", "2025.09.18"),
        ("0.166.0-linux-x64", "0.166.0"),
    ] {
        assert_eq!(compare(one, other), Ordering::Equal, "{one} = {other}");
    }
}

#[test]
fn huge_number_is_largest_version() {
    assert_eq!(compare("99999999999999999999999.1", "1.0"), Ordering::Greater);
}

#[test]
fn minimum_and_tested_version_are_compared() {
    let mut cli = od_protocol::Manifest::new("x", "X").cli;
    cli.version_min = Some("2.0.0".to_owned());
    cli.version_tested = Some("2.1.0".to_owned());
    assert_eq!(meets_minimum(Some("1.99"), &cli), Some(false));
    assert_eq!(meets_minimum(Some("2.0"), &cli), Some(true));
    assert_eq!(meets_minimum(Some("unknown"), &cli), None);
    assert_eq!(meets_minimum(None, &cli), None);
    assert_eq!(against_tested(Some("2.1"), &cli), Some(TestedVersion::Same));
    assert_eq!(against_tested(Some("2.1.1"), &cli), Some(TestedVersion::Newer));
    assert_eq!(against_tested(Some("2.0.9"), &cli), Some(TestedVersion::Older));
    cli.version_min = None;
    assert_eq!(meets_minimum(Some("0.1"), &cli), Some(true));
}

proptest::proptest! {
    #[test]
    fn any_text_is_accepted(text: String, program: String) {
        if let Some(version) = find_in_text(&text, &program) {
            assert!(CliVersion::parse(&version).is_some());
        }
    }
}
