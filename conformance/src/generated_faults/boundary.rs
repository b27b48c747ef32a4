//! The boundary of one adapter process: every line that it reads or writes passes here.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::event_order::{EventOrder, changes_order};
use super::fault::{Alteration, Change, LineChange, MessageChange, Place};
use super::line_change::{change_values, restore_ids, to_bytes};
use super::message::{Message, OpenRequests};
use super::reach_record::ReachRecord;
use super::value_change::FirstValues;

/// The file beside the executable with the alterations, as JSON.
pub const ALTERATIONS_FILE: &str = "alterations.json";

/// How long every response of a slow adapter takes.
const SLOW_RESPONSE: Duration = Duration::from_millis(100);

static BOUNDARY: OnceLock<Option<Boundary>> = OnceLock::new();

struct Boundary {
    alterations: Vec<Alteration>,
    lines: Vec<LineChange>,
    /// If only events of some types are altered: these types in quotes. Other lines are not parsed.
    only_types: Option<Vec<String>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    record: Option<ReachRecord>,
    open_requests: OpenRequests,
    order: EventOrder,
    first_values: FirstValues,
    has_written: bool,
}

/// Reads the alterations, and starts the record if it is enabled.
pub fn begin(executable: &Path) {
    BOUNDARY.get_or_init(|| Boundary::open(executable));
}

/// Returns the bytes to write instead of a line of the adapter; they may be empty.
pub fn outgoing(line: &[u8]) -> Cow<'_, [u8]> {
    match BOUNDARY.get() {
        Some(Some(boundary)) => boundary.outgoing(line),
        _ => Cow::Borrowed(line),
    }
}

/// Returns the line that the adapter reads instead of a line of the host.
pub fn incoming(line: &[u8]) -> Cow<'_, [u8]> {
    match BOUNDARY.get() {
        Some(Some(boundary)) => boundary.incoming(line),
        _ => Cow::Borrowed(line),
    }
}

/// Returns the manifest to print.
pub fn manifest(document: Value) -> Value {
    match BOUNDARY.get() {
        Some(Some(boundary)) => boundary.manifest(document),
        _ => document,
    }
}

impl Boundary {
    /// `None` if this process neither alters nor records anything.
    fn open(executable: &Path) -> Option<Self> {
        let file = executable.with_file_name(ALTERATIONS_FILE);
        let alterations: Vec<Alteration> = std::fs::read(file)
            .map(|text| serde_json::from_slice(&text).expect("the suite wrote this file"))
            .unwrap_or_default();
        let record = ReachRecord::open(executable);
        if alterations.is_empty() && record.is_none() {
            return None;
        }
        let lines = alterations.iter().filter_map(|alteration| match alteration.change {
            Change::Line(change) => Some(change),
            _ => None,
        });
        let only_types = only_types(&alterations).filter(|_| record.is_none());
        let state = Mutex::new(State { record, ..State::default() });
        Some(Self { lines: lines.collect(), only_types, alterations, state })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outgoing<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.is_relevant(line) {
            return Cow::Borrowed(line);
        }
        let Some(mut message) = Message::parse(line) else { return Cow::Borrowed(line) };
        let mut state = self.state();
        let places = message.places(&state.open_requests);
        if let Some(id) = message.id().filter(|_| message.is_response()) {
            let id = id.to_owned();
            state.open_requests.remove(&id);
        }
        if let Some(record) = &mut state.record {
            record.note(&message, &places);
            record.note(&message, &[Place::Line]);
        }
        if message.is_response() && self.lines.contains(&LineChange::SlowResponses) {
            std::thread::sleep(SLOW_RESPONSE);
        }
        let is_altered = self.alter(&mut state.first_values, &mut message, &places);
        let is_reordered = self.alterations.iter().any(changes_order);
        let response = self.response_change(&places);
        if !is_altered && !is_reordered && response.is_none() && self.lines.is_empty() {
            return Cow::Borrowed(line);
        }
        let messages = match response {
            Some(change) => self.change_response(message, change),
            None if is_reordered && message.is_event() => {
                state.order.pass(message, &self.alterations)
            }
            None => vec![message],
        };
        let mut bytes = Vec::new();
        for mut message in messages {
            self.lines.iter().for_each(|change| change_values(&mut message, *change));
            let is_first = !std::mem::replace(&mut state.has_written, true);
            bytes.extend(to_bytes(&message, &self.lines, is_first));
        }
        Cow::Owned(bytes)
    }

    fn is_relevant(&self, line: &[u8]) -> bool {
        let text = std::str::from_utf8(line).unwrap_or_default();
        match &self.only_types {
            Some(types) => types.iter().any(|event_type| text.contains(event_type)),
            None => true,
        }
    }

    /// Applies the changes of fields.
    fn alter(
        &self,
        first_values: &mut FirstValues,
        message: &mut Message,
        places: &[Place],
    ) -> bool {
        let mut is_altered = false;
        for alteration in self.alterations.iter().filter(|it| places.contains(&it.place)) {
            if let Some(part) = message.part(&alteration.place) {
                is_altered |= first_values.apply(part, alteration);
            }
        }
        is_altered
    }

    fn response_change(&self, places: &[Place]) -> Option<MessageChange> {
        let is_here = |alteration: &&Alteration| {
            matches!(alteration.place, Place::Result(_)) && places.contains(&alteration.place)
        };
        self.alterations.iter().filter(is_here).find_map(|alteration| match alteration.change {
            Change::Message(change) => Some(change),
            _ => None,
        })
    }

    fn change_response(&self, mut message: Message, change: MessageChange) -> Vec<Message> {
        match change {
            MessageChange::Drop => Vec::new(),
            MessageChange::Repeat => vec![message.clone(), message],
            MessageChange::OtherId => {
                message.set_id(Some("\"other\"".to_owned()));
                vec![message]
            }
            MessageChange::InternalError => {
                let error = json!({
                    "code": -32603, "message": "it failed", "data": {"kind": "internal"}
                });
                let id = message.id().map(str::to_owned);
                let mut failed = Message::notification(json!({"jsonrpc": "2.0", "error": error}));
                failed.set_id(id);
                vec![failed]
            }
            MessageChange::Delay(milliseconds) => {
                let bytes = to_bytes(&message, &[], false);
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(milliseconds));
                    // The host may be gone by then.
                    let _gone = std::io::stdout().lock().write_all(&bytes);
                });
                Vec::new()
            }
            MessageChange::HoldBack | MessageChange::SwapWithNext | MessageChange::SplitText => {
                vec![message]
            }
        }
    }

    fn incoming<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(mut message) = Message::parse(line) else { return Cow::Borrowed(line) };
        let Some(method) = message.method().map(str::to_owned) else { return Cow::Borrowed(line) };
        let places = [Place::Request(method.clone())];
        let mut state = self.state();
        if let Some(id) = message.id() {
            state.open_requests.insert(id.to_owned(), method);
        }
        if let Some(record) = &mut state.record {
            record.note(&message, &places);
        }
        let mut is_altered = self.alter(&mut state.first_values, &mut message, &places);
        if self.lines.contains(&LineChange::OtherIdForm) {
            restore_ids(&mut message.value);
            is_altered = true;
        }
        match is_altered {
            true => Cow::Owned(message.to_text().into_bytes()),
            false => Cow::Borrowed(line),
        }
    }

    fn manifest(&self, document: Value) -> Value {
        let mut message = Message::notification(document);
        let places = [Place::Manifest];
        let mut state = self.state();
        if let Some(record) = &mut state.record {
            record.note(&message, &places);
        }
        self.alter(&mut state.first_values, &mut message, &places);
        message.value
    }
}

/// The types of the altered events; `None` if other lines are altered or counted too.
fn only_types(alterations: &[Alteration]) -> Option<Vec<String>> {
    alterations
        .iter()
        .map(|alteration| match &alteration.place {
            Place::Event(event_type) if !changes_order(alteration) => {
                Some(format!("\"{event_type}\""))
            }
            _ => None,
        })
        .collect()
}
