//! Which variables an adapter gets: the protocol's list, what its manifest declares, what the
//! settings allow. Never the inherited environment.

use std::ffi::{OsStr, OsString};

use od_protocol::Manifest;
use od_protocol::environment::{FIXED, crosses, is_nesting_marker};

use crate::settings::Settings;

/// The whole environment of an adapter process. Without a manifest (it is being asked for it) only
/// the protocol's own list crosses. `search_path` stands in for the inherited PATH.
pub fn adapter_environment(
    settings: &Settings,
    manifest: Option<&Manifest>,
    search_path: Option<&OsStr>,
) -> Vec<(OsString, OsString)> {
    let is_path = |name: &OsStr| name.eq_ignore_ascii_case("PATH");
    let inherited = std::env::vars_os().filter(|(name, _)| search_path.is_none() || !is_path(name));
    let ours = search_path.map(|path| ("PATH".into(), path.to_owned()));
    choose(inherited.chain(ours), settings, manifest)
}

fn choose(
    inherited: impl Iterator<Item = (OsString, OsString)>,
    settings: &Settings,
    manifest: Option<&Manifest>,
) -> Vec<(OsString, OsString)> {
    let declared = manifest.map(|manifest| declared_names(settings, manifest)).unwrap_or_default();
    let fixed = |name: &str| FIXED.iter().any(|(fixed, _)| *fixed == name);
    let mut chosen: Vec<_> = inherited
        .filter(|(name, _)| {
            name.to_str().is_some_and(|name| {
                !fixed(name)
                    && !is_nesting_marker(name)
                    && (crosses(name) || declared.iter().any(|declared| declared == name))
            })
        })
        .collect();
    chosen.extend(FIXED.iter().map(|(name, value)| (name.into(), value.into())));
    chosen
}

/// The names one adapter gets beyond the protocol's list.
pub fn declared_names(settings: &Settings, manifest: &Manifest) -> Vec<String> {
    let required = manifest.requirements.env.iter().map(|variable| &variable.name);
    let allowed = settings.agents.get(&manifest.adapter_id).map(|agent| &agent.allow_env);
    let denied = &settings.environment.deny;
    manifest
        .auth
        .env
        .iter()
        .chain(required)
        .filter(|name| !denied.contains(name))
        .chain(&settings.environment.allow)
        .chain(allowed.into_iter().flatten())
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(settings: &Settings, manifest: Option<&Manifest>) -> Vec<String> {
        let inherited = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("XDG_CONFIG_HOME", "/x"),
            ("TERM", "xterm"),
            ("ACME_KEY", "k"),
            ("ACME_URL", "u"),
            ("CLAUDECODE", "1"),
            ("SECRET", "s"),
        ];
        let inherited = inherited.into_iter().map(|(name, value)| (name.into(), value.into()));
        let mut names: Vec<String> = choose(inherited, settings, manifest)
            .into_iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        names.sort();
        names
    }

    fn manifest() -> Manifest {
        serde_json::from_value(serde_json::json!({
            "manifestVersion": "1.0", "adapterId": "acme", "displayName": "Acme",
            "version": "1.0.0", "vendor": "acme", "protocol": {"min": 1, "max": 1},
            "capabilities": {}, "cli": {"names": ["acme"], "transport": "stdio"},
            "auth": {"env": ["ACME_KEY", "CLAUDECODE"]},
            "requirements": {"env": [{"name": "ACME_URL"}]},
        }))
        .expect("a manifest")
    }

    const BASE: [&str; 5] =
        ["LC_ALL=C", "NO_COLOR=1", "PATH=/bin", "TERM=dumb", "XDG_CONFIG_HOME=/x"];

    #[test]
    fn without_a_manifest_only_the_list_crosses() {
        assert_eq!(names(&Settings::default(), None), BASE);
    }

    #[test]
    fn declared_names_cross_but_nesting_markers_never() {
        let all = names(&Settings::default(), Some(&manifest()));
        assert_eq!(all[..2], ["ACME_KEY=k", "ACME_URL=u"]);
        assert_eq!(all[2..], BASE);
    }

    #[test]
    fn settings_add_and_take_away() {
        let mut settings = Settings::default();
        settings.environment.deny = vec!["ACME_KEY".to_owned()];
        settings.environment.allow = vec!["SECRET".to_owned()];
        let all = names(&settings, Some(&manifest()));
        assert!(all.contains(&"SECRET=s".to_owned()) && !all.contains(&"ACME_KEY=k".to_owned()));
    }
}
