//! Pins set through the API: stored in `trust.json`, effective at once, ignored when other users can write the file.

use od_host::Service;
use od_protocol::api::{
    ListAdaptersParams, ListAdaptersResult, ListInstallHintsParams, TrustAdapterParams,
};

use super::service_runs::service;
use super::stage::{Stage, block_on};

fn pinned_stage() -> Stage {
    let stage = Stage::with("x", "good");
    stage.write_settings("[trust]\npolicy = \"pinned\"\n");
    stage
}

async fn list(service: &Service) -> ListAdaptersResult {
    service.list_adapters(ListAdaptersParams {}).await.expect("a list")
}

/// The hash of `x`, which is rejected.
async fn hash_of_rejected(service: &Service) -> String {
    let list = list(service).await;
    let rejected = list.rejected.iter().find(|rejected| rejected.id.as_deref() == Some("x"));
    let rejected = rejected.expect("it is not pinned");
    assert_eq!((rejected.rule.as_str(), list.policy.as_str()), ("not_pinned", "pinned"));
    rejected.sha256.clone().expect("what adapters/trust takes")
}

fn pin(sha256: &str, trusted: bool) -> TrustAdapterParams {
    TrustAdapterParams { sha256: sha256.to_owned(), trusted }
}

#[test]
fn pin_takes_effect_at_once() {
    let stage = pinned_stage();
    block_on(async {
        let service = service(&stage);
        let sha256 = hash_of_rejected(&service).await;
        let result = service.trust_adapter(pin(&sha256.to_uppercase(), true)).await.expect("a pin");
        assert_eq!(result.pinned, [sha256.as_str()]);
        let used = list(&service).await;
        let adapter = used.adapters.iter().find(|adapter| adapter.id == "x").expect("it is used");
        assert!(adapter.pinned && adapter.sha256 == sha256);
        assert_eq!(adapter.origin, "adapterDir");

        let result = service.trust_adapter(pin(&sha256, false)).await.expect("removed");
        assert!(result.pinned.is_empty());
        hash_of_rejected(&service).await;
    });
}

#[test]
fn invalid_hash_or_settings_pin_is_refused() {
    let stage = Stage::with("x", "good");
    let hash = "ab".repeat(32);
    stage.write_settings(&format!("[trust]\npinned = [\"{hash}\"]\n"));
    block_on(async {
        let service = service(&stage);
        for wrong in ["", "ab", &"zz".repeat(32)] {
            let error = service.trust_adapter(pin(wrong, true)).await.expect_err("no hash");
            assert_eq!(error.failure.as_str(), "usage");
        }
        let error = service.trust_adapter(pin(&hash, false)).await.expect_err("in the settings");
        assert!(error.message.contains("settings.toml"), "{error}");
        assert_eq!(service.host().trust().pinned, [hash.as_str()]);
    });
}

#[cfg(unix)]
#[test]
fn writable_trust_file_is_ignored() {
    use std::os::unix::fs::PermissionsExt;
    let stage = pinned_stage();
    block_on(async {
        let service = service(&stage);
        let sha256 = hash_of_rejected(&service).await;
        service.trust_adapter(pin(&sha256, true)).await.expect("a pin");
        let file = stage.home().trust_file();
        let mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode));
        mode(0o666).expect("a mode");
        hash_of_rejected(&service).await;
        let error = service.trust_adapter(pin(&sha256, true)).await.expect_err("refused");
        assert!(error.hint.is_some_and(|hint| hint.contains("trust.json")));
        mode(0o600).expect("a mode");
        assert!(list(&service).await.adapters.iter().any(|adapter| adapter.id == "x"));
    });
}

#[test]
fn install_hints_come_from_the_manifest() {
    let stage = Stage::with("x", "not_installed");
    stage.add("y", "good");
    block_on(async {
        let service = service(&stage);
        let hints = service.install_hints(ListInstallHintsParams::default()).await.expect("hints");
        let find = |id: &str| hints.hints.iter().find(|hint| hint.agent == id).expect("a hint");
        assert!(!find("x").installed && find("y").installed);
        assert_eq!(find("x").login.as_deref(), Some("test login"));
        let commands: Vec<&str> =
            find("x").install.iter().map(|method| method.command.as_str()).collect();
        assert_eq!(commands, ["get test"], "only what works on this platform");
        let one = ListInstallHintsParams { agent: Some("unknown".to_owned()) };
        assert!(service.install_hints(one).await.is_err());
    });
}
