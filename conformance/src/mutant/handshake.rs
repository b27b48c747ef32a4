//! `initialize`: one protocol major, or a refusal that leaves the adapter usable.

use od_protocol::adapter::{AdapterInfo, InitializeParams, InitializeResult};
use od_protocol::{ErrorKind, ErrorObject, PROTOCOL_REVISION, ProtocolRange};
use serde_json::Value;

use super::adapter::Adapter;
use super::fault::{Behaviour, Fault};
use super::manifest::{ADAPTER_ID, VENDOR, VERSION, capabilities};
use super::serve::{parse_params, to_value};

/// The known members of `initialize`.
const KNOWN: [&str; 7] =
    ["protocol", "host", "hostPid", "capabilities", "limits", "config", "_meta"];

/// Answers `initialize`.
pub(super) fn initialize(
    adapter: &'static Adapter,
    params: Option<&str>,
) -> Result<Value, ErrorObject> {
    let behaviour = adapter.behaviour;
    if behaviour.has(Fault::StrictFields) {
        refuse_unknown_fields(params)?;
    }
    let initialize_params: InitializeParams = parse_params(params)?;
    if adapter.initialized().is_some() && !behaviour.has(Fault::InitializesTwice) {
        let text = "initialize was called before";
        return Err(ErrorObject::new(ErrorKind::AlreadyInitialized, text));
    }
    let ours = ProtocolRange::current();
    let common = ours.highest_common(&initialize_params.protocol);
    let common = match behaviour.has(Fault::AnyVersion) {
        true => common.or(Some(ours.max)),
        false => common,
    };
    let Some(protocol) = common else {
        if behaviour.has(Fault::DiesAfterRefusal) {
            std::process::exit(1);
        }
        return Err(no_common_major(behaviour, &initialize_params.protocol));
    };
    let protocol = match behaviour.has(Fault::EchoesMajor) {
        true => initialize_params.protocol.max,
        false => protocol,
    };
    if let Some(host_pid) = initialize_params.host_pid {
        watch_host(adapter, host_pid);
    }
    adapter.set_initialized(initialize_params);
    to_value(InitializeResult {
        protocol,
        revision: Some(PROTOCOL_REVISION.to_owned()),
        adapter: AdapterInfo {
            id: ADAPTER_ID.to_owned(),
            version: VERSION.to_owned(),
            vendor: VENDOR.to_owned(),
        },
        capabilities: capabilities(),
    })
}

fn no_common_major(behaviour: Behaviour, theirs: &ProtocolRange) -> ErrorObject {
    let ours = ProtocolRange::current();
    let who = if theirs.max < ours.min { "the host" } else { "this adapter" };
    let text = format!(
        "the host supports {} to {}, this adapter {} to {}",
        theirs.min, theirs.max, ours.min, ours.max
    );
    let text = match behaviour.has(Fault::RefusalNamesNoSide) {
        true => "unknown protocol version".to_owned(),
        false => text,
    };
    let mut error =
        ErrorObject::new(ErrorKind::UnsupportedProtocol, text).with_hint(format!("upgrade {who}"));
    if let Some(data) = &mut error.data {
        data.supported = Some(ours);
    }
    error
}

/// Checks ten times per second whether the host still exists.
fn watch_host(adapter: &'static Adapter, host_pid: u32) {
    if adapter.behaviour.has(Fault::IgnoresHostPid) {
        return;
    }
    std::thread::spawn(move || {
        while super::tree::exists(host_pid) {
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        adapter.exit_with_host();
    });
}

fn refuse_unknown_fields(params: Option<&str>) -> Result<(), ErrorObject> {
    let members: od_protocol::JsonObject = parse_params(params)?;
    match members.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        Some(name) => {
            Err(ErrorObject::new(ErrorKind::InvalidParams, format!("unknown field {name}")))
        }
        None => Ok(()),
    }
}
