//! Negotiation of the protocol major: the highest common one, or none.

use od_protocol::{Manifest, PROTOCOL_MAJOR, ProtocolRange};
use proptest::prelude::*;

fn range(min: u32, max: u32) -> ProtocolRange {
    ProtocolRange { min, max, revision: None }
}

#[track_caller]
fn check(host: (u32, u32), adapter: (u32, u32), expected: Option<u32>) {
    let (host, adapter) = (range(host.0, host.1), range(adapter.0, adapter.1));
    assert_eq!(host.highest_common(&adapter), expected);
    assert_eq!(adapter.highest_common(&host), expected);
}

#[test]
fn highest_common_major_wins() {
    check((1, 1), (1, 1), Some(1));
    check((1, 3), (2, 5), Some(3));
    check((1, 9), (4, 4), Some(4));
}

#[test]
fn disjoint_ranges_share_no_major() {
    check((2, 3), (1, 1), None);
    check((1, 1), (5, 9), None);
}

#[test]
fn reversed_range_supports_no_major() {
    check((3, 1), (1, 3), None);
}

#[test]
fn revision_is_never_compared() {
    let other = ProtocolRange { revision: Some("1999-01-01".to_owned()), ..range(1, 1) };
    assert_eq!(ProtocolRange::current().highest_common(&other), Some(PROTOCOL_MAJOR));
}

#[test]
fn any_manifest_minor_is_read() {
    let text = include_str!("../../../schemas/v1/examples/manifest.json");
    let mut manifest: Manifest = serde_json::from_str(text).expect("the example is a manifest");
    for (version, major) in [("1.0", Some(1)), ("1.47", Some(1)), ("2.0", Some(2)), ("x", None)] {
        manifest.manifest_version = version.to_owned();
        assert_eq!(manifest.major(), major, "{version}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agreed_major_is_highest_supported_by_both(
        (a, b, c, d) in (0_u32..9, 0_u32..9, 0_u32..9, 0_u32..9)
    ) {
        let is_supported = |major: &u32| (a..=b).contains(major) && (c..=d).contains(major);
        prop_assert_eq!(range(a, b).highest_common(&range(c, d)), (0..9).rev().find(is_supported));
    }
}
