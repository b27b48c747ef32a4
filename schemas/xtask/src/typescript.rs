//! `types.ts`: a contract as TypeScript.

use od_protocol::api::Subscription;

use crate::contract::Contract;
use crate::shape::{Definition, EnumValue, EventType, Field, Kind, Shape};

/// The text after the title.
const HEAD: &str = "\
//
// Where a type allows null, it means the same as absent. An open enumeration is
// `\"a\" | \"b\" | (string & {})`: a later version may send others, so keep a default branch.
";

const TAIL: &str = r#"
/** A request message. */
export interface Request<Name extends keyof Methods> {
  jsonrpc: "2.0";
  id: string | number;
  method: Name;
  params: Methods[Name]["params"];
}

/** The response to a request: a result or an error, never both. */
export type Response<Name extends keyof Methods> =
  | { jsonrpc: "2.0"; id: string | number | null; result: Methods[Name]["result"] }
  | { jsonrpc: "2.0"; id: string | number | null; error: ErrorObject };

/** A notification message. */
export interface Notification<Name extends keyof Notifications> {
  jsonrpc: "2.0";
  method: Name;
  params: Notifications[Name];
}

/** The event of one type, such as `EventOf<"done">`. */
export type EventOf<Type extends EventType> = Extract<KnownEvent, { type: Type }>;

/** Whether an event is of this version; then `switch (event.type)` narrows its type. */
export function isKnownEvent(event: Event): event is KnownEvent {
  return (EVENT_TYPES as readonly string[]).includes(event.type);
}
"#;

pub fn generate(contract: &'static Contract) -> String {
    let (name, major) = contract.major;
    let mut text = format!(
        "// The {}, as TypeScript types.\n// Generated from {}: do not edit.\n{HEAD}\n\
         export const {name} = {major};\n",
        contract.versioned_title(),
        contract.sources
    );
    for definition in contract.all() {
        text.push('\n');
        text += &definition_text(&definition);
    }
    text += &error_codes(contract);
    text += &methods(contract);
    text += &subscriptions(contract);
    text += TAIL;
    text
}

fn definition_text(definition: &Definition) -> String {
    let Definition { name, description, shape } = definition;
    let head = comment(description, "");
    match shape {
        Shape::Record(fields) if fields.is_empty() => {
            format!("{head}export type {name} = Record<string, unknown>;\n")
        }
        Shape::Record(fields) => {
            let fields: String = fields.iter().map(field_text).collect();
            format!("{head}export interface {name} {{\n{fields}}}\n")
        }
        Shape::Enum { values, .. } => {
            let values: String = values.iter().map(value_text).collect();
            format!("{head}export type {name} =\n{values}  | (string & {{}});\n")
        }
        Shape::Events(types) => events_text(types),
        Shape::LaterEvent => {
            format!(
                "{head}export interface {name} {{\n  type: string;\n  [field: string]: unknown;\n}}\n"
            )
        }
    }
}

fn field_text(field: &Field) -> String {
    let optional = if field.required { "" } else { "?" };
    let null = if field.nullable { " | null" } else { "" };
    let description = match field.default {
        Some(default) => format!("{} Default: `{default}`.", field.description),
        None => field.description.to_owned(),
    };
    let (head, name) = (comment(&description, "  "), field.name);
    format!("{head}  {name}{optional}: {}{null};\n", kind_text(&field.kind))
}

fn value_text(name: &EnumValue) -> String {
    format!("{}  | \"{}\"\n", comment(name.description, "  "), name.name)
}

fn events_text(types: &[EventType]) -> String {
    let values: String = types.iter().map(|event| format!("  \"{}\",\n", event.name)).collect();
    let union: String = types
        .iter()
        .map(|event| {
            let head = comment(event.description, "  ");
            format!("{head}  | ({{ type: \"{}\" }} & {})\n", event.name, event.payload)
        })
        .collect();
    format!(
        "/** The event types of this version. */\nexport const EVENT_TYPES = [\n{values}] as const;\n\n\
         export type EventType = (typeof EVENT_TYPES)[number];\n\n\
         /** An event of this version; `type` discriminates them. */\nexport type KnownEvent =\n{};\n\n\
         /** An event of this version or of a later one. */\n\
         export type Event = KnownEvent | UnknownEvent;\n",
        union.trim_end()
    )
}

fn kind_text(kind: &Kind) -> String {
    match kind {
        Kind::Text => "string".to_owned(),
        Kind::Integer { .. } | Kind::Number => "number".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Anything => "unknown".to_owned(),
        Kind::AnyObject => "Record<string, unknown>".to_owned(),
        Kind::MapOf(kind) => format!("Record<string, {}>", kind_text(kind)),
        Kind::ListOf(kind) => format!("{}[]", kind_text(kind)),
        Kind::Reference(name) => (*name).to_owned(),
    }
}

fn error_codes(contract: &Contract) -> String {
    let codes: String = (contract.errors)()
        .iter()
        .map(|row| {
            let head = comment(row.summary, "  ");
            format!("{head}  {}: {},\n", property(row.kind), row.code)
        })
        .collect();
    format!(
        "\n/** The JSON-RPC code of each kind. */\nexport const ERROR_CODES = {{\n{codes}}} as const;\n"
    )
}

/// The name of an object member; a name with a dot needs quotes.
fn property(name: &str) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() }
}

fn methods(contract: &Contract) -> String {
    let methods: String = contract
        .methods
        .iter()
        .map(|method| {
            let null = if method.nullable { " | null" } else { "" };
            let (head, name) = (comment(method.summary, "  "), method.name);
            let (params, result) = (method.params, method.result);
            format!("{head}  \"{name}\": {{ params: {params}; result: {result}{null} }};\n")
        })
        .collect();
    let notifications: String = contract
        .notifications
        .iter()
        .map(|entry| {
            format!("{}  \"{}\": {};\n", comment(entry.summary, "  "), entry.name, entry.params)
        })
        .collect();
    format!(
        "\n/** The methods that {} calls. */\nexport interface Methods {{\n{methods}}}\n\
         \n/** The notifications. */\nexport interface Notifications {{\n{notifications}}}\n",
        contract.caller
    )
}

/// Empty for a contract without subscriptions.
fn subscriptions(contract: &Contract) -> String {
    if contract.subscriptions.is_empty() {
        return String::new();
    }
    let rows: String = contract
        .subscriptions
        .iter()
        .map(|entry| {
            let Subscription { subscribe, notification, unsubscribe, params, item, summary } = entry;
            format!(
                "{}  \"{subscribe}\": {{\n    params: {params};\n    notification: \"{notification}\";\n    \
                 item: {item};\n    unsubscribe: \"{unsubscribe}\";\n  }};\n",
                comment(summary, "  ")
            )
        })
        .collect();
    format!(
        "\n/** The subscriptions of {}, by the method that starts them; its result is the subscription id. */\n\
         export interface Subscriptions {{\n{rows}}}\n",
        contract.caller
    )
}

fn comment(text: &str, indent: &str) -> String {
    format!("{indent}/** {} */\n", text.replace("*/", "*\\/"))
}
