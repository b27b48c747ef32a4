//! `host/README.md`: the tables of the API between its markers, generated from the types.

use od_protocol::api::GET_RUN_RESULT;

use crate::contract::API;
use crate::files::GeneratedFile;
use crate::markdown::{self, Place, code, linked, table};
use crate::markers;

/// The document with current tables.
pub fn file() -> GeneratedFile {
    markers::document(API.specification, part)
}

fn part(wanted: &str) -> String {
    match wanted {
        "methods" => methods(),
        "subscriptions" => subscriptions(),
        "errors" => markdown::errors(&(API.own_errors)()),
        _ => panic!("no such part: {wanted}"),
    }
}

fn methods() -> String {
    let rows = API.methods.iter().map(|method| {
        let wait = if method.name == GET_RUN_RESULT.name { "wait + " } else { "" };
        [
            code(method.name),
            linked(method.params, Place::HostPage),
            markdown::result(method, Place::HostPage),
            format!("{wait}{} s", method.limit().as_secs()),
            method.summary.to_owned(),
        ]
    });
    table(["method", "parameters", "result", "limit", ""], rows.collect())
}

fn subscriptions() -> String {
    let rows = API.subscriptions.iter().map(|entry| {
        [
            code(entry.subscribe),
            linked(entry.params, Place::HostPage),
            code(entry.notification),
            linked(entry.item, Place::HostPage),
            code(entry.unsubscribe),
            entry.summary.to_owned(),
        ]
    });
    let head = ["subscription", "parameters", "notification", "its `result`", "ended by", ""];
    table(head, rows.collect())
}
