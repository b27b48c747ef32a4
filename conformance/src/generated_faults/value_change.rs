//! Alters one value.

use std::collections::HashMap;

use serde_json::{Map, Number, Value, json};

use super::fault::{Alteration, Change, Place};

/// The first value of each field in this process.
#[derive(Debug, Default)]
pub(super) struct FirstValues(HashMap<(Place, Vec<String>), Value>);

impl FirstValues {
    /// Applies an alteration to its part of a message; returns whether anything differs.
    pub(super) fn apply(&mut self, part: &mut Value, alteration: &Alteration) -> bool {
        if alteration.change != Change::KeepFirst {
            return apply(part, &alteration.path, &alteration.change);
        }
        let mut names = alteration.path.iter();
        let Some(value) = names.try_fold(part, |value, name| value.get_mut(name)) else {
            return false;
        };
        let key = (alteration.place.clone(), alteration.path.clone());
        let first = self.0.entry(key).or_insert_with(|| value.clone());
        let differs = first != value;
        *value = first.clone();
        differs
    }
}

/// Applies a change to the field; returns whether anything differs.
fn apply(value: &mut Value, path: &[String], change: &Change) -> bool {
    let Some((first, rest)) = path.split_first() else { return replace(value, change) };
    match (first.as_str(), value) {
        ("[]", Value::Array(items)) => apply_to_each(items.iter_mut(), rest, change),
        ("{}", Value::Object(members)) => apply_to_each(members.values_mut(), rest, change),
        (name, Value::Object(members)) if rest.is_empty() => apply_to_member(members, name, change),
        (name, Value::Object(members)) => {
            members.get_mut(name).is_some_and(|value| apply(value, rest, change))
        }
        _ => false,
    }
}

fn apply_to_each<'a>(
    values: impl Iterator<Item = &'a mut Value>,
    rest: &[String],
    change: &Change,
) -> bool {
    let mut differs = false;
    for value in values {
        differs |= apply(value, rest, change);
    }
    differs
}

fn apply_to_member(members: &mut Map<String, Value>, name: &str, change: &Change) -> bool {
    match change {
        Change::Drop { default } => {
            let counts = |value: &Value| !value.is_null() && default.as_ref() != Some(value);
            members.get(name).is_some_and(counts) && members.remove(name).is_some()
        }
        Change::NullIfAbsent => {
            let is_absent = !members.contains_key(name);
            if is_absent {
                members.insert(name.to_owned(), Value::Null);
            }
            is_absent
        }
        _ => members.get_mut(name).is_some_and(|value| replace(value, change)),
    }
}

fn replace(value: &mut Value, change: &Change) -> bool {
    match replacement(value, change) {
        Some(new) if new != *value => {
            *value = new;
            true
        }
        _ => false,
    }
}

fn replacement(value: &Value, change: &Change) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    match change {
        Change::Null => Some(Value::Null),
        Change::Constant(constant) => Some(constant.clone()),
        Change::Empty => empty(value),
        Change::CutLast => {
            let mut characters = value.as_str()?.chars();
            characters.next_back();
            Some(characters.as_str().into())
        }
        Change::Trim => Some(value.as_str()?.trim().into()),
        Change::Loss(loss) => Some(loss.damage(value)),
        Change::Prefix(prefix) => Some(format!("{prefix}{}", value.as_str()?).into()),
        Change::Add(number) => Some(value.as_i64()?.checked_add(*number)?.into()),
        Change::Multiply(factor) => multiply(value, *factor),
        Change::Divide(divisor) => Some(value.as_i64()?.checked_div((*divisor).into())?.into()),
        Change::Negate => Some((-1 - value.as_i64()?.abs()).into()),
        Change::Flip => Some((!value.as_bool()?).into()),
        Change::Replace { from, to } => (value == from).then(|| to.clone()),
        Change::DropLast => {
            let (_, rest) = value.as_array()?.split_last()?;
            (!rest.is_empty()).then(|| rest.into())
        }
        Change::Reverse => Some(value.as_array()?.iter().rev().cloned().collect()),
        Change::Drop { .. }
        | Change::NullIfAbsent
        | Change::KeepFirst
        | Change::Message(_)
        | Change::Line(_) => None,
    }
}

fn empty(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some("".into()),
        Value::Array(_) => Some(json!([])),
        Value::Object(_) => Some(json!({})),
        _ => None,
    }
}

fn multiply(value: &Value, factor: u32) -> Option<Value> {
    match value.as_i64() {
        Some(number) => Some(number.checked_mul(factor.into())?.into()),
        None => Number::from_f64(value.as_f64()? * f64::from(factor)).map(Value::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(change: Change, path: &str, wanted: Option<Value>) {
        let start = json!({
            "text": "ab", "n": 7, "is": true, "list": [{"k": 1}, {"k": 2}], "map": {"x": "y"},
            "nothing": null
        });
        let mut value = start.clone();
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        let differs = apply(&mut value, &path, &change);
        assert_eq!(differs, wanted.is_some(), "{change:?}");
        let Some(wanted) = wanted else { return assert_eq!(value, start) };
        let found = path.iter().take_while(|name| !name.starts_with(['[', '{']));
        let found = found.fold(&value, |value, name| &value[name]);
        assert_eq!(*found, wanted, "{change:?}");
    }

    #[test]
    fn change_alters_only_values_of_its_type() {
        check(Change::CutLast, "text", Some("a".into()));
        check(Change::CutLast, "n", None);
        check(Change::Add(1), "n", Some(8.into()));
        check(Change::Negate, "n", Some((-8).into()));
        check(Change::Flip, "is", Some(false.into()));
        check(Change::Reverse, "list", Some(json!([{"k": 2}, {"k": 1}])));
        check(Change::Multiply(2), "list.[].k", Some(json!([{"k": 2}, {"k": 4}])));
        check(Change::Constant("z".into()), "map.{}", Some(json!({"x": "z"})));
        check(Change::Null, "nothing", None);
        check(Change::Null, "absent", None);
    }

    #[test]
    fn first_value_replaces_later_ones() {
        let alteration = Alteration {
            place: Place::Envelope,
            path: vec!["a".to_owned(), "b".to_owned()],
            change: Change::KeepFirst,
        };
        let mut first_values = FirstValues::default();
        let mut check = |value: Value, differs: bool| {
            let mut part = json!({"a": {"b": value}});
            assert_eq!(first_values.apply(&mut part, &alteration), differs);
            assert_eq!(part, json!({"a": {"b": 1}}));
        };
        check(1.into(), false);
        check(1.into(), false);
        check(2.into(), true);
    }

    #[test]
    fn absent_default_is_not_a_difference() {
        check(Change::Drop { default: Some(7.into()) }, "n", None);
        check(Change::Drop { default: Some(8.into()) }, "n", Some(Value::Null));
        check(Change::Drop { default: None }, "nothing", None);
    }
}
