//! Reads the expiry of a credential from the formats that agent CLIs store. Pure, except [`now`].

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

/// Numbers below are seconds (until the year 5138), others are milliseconds (since 1973).
const FIRST_MILLIS: u64 = 100_000_000_000;

/// Returns the current time in milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Converts a time in seconds or milliseconds since 1970 to milliseconds.
pub fn millis(time: u64) -> u64 {
    match time < FIRST_MILLIS {
        true => time * 1000,
        false => time,
    }
}

/// Returns when a JSON Web Token expires, in milliseconds since 1970. The signature is not checked:
/// the token belongs to the user.
pub fn jwt_expiry(token: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Claims {
        exp: f64,
    }
    let payload = token.split('.').nth(1)?.trim_end_matches('=');
    let payload = URL_SAFE_NO_PAD.decode(payload).ok()?;
    let claims: Claims = serde_json::from_slice(&payload).ok()?;
    // The cast saturates, so every number is safe.
    (claims.exp > 0.0).then_some(millis(claims.exp as u64))
}

/// Converts `2026-11-16T01:02:03Z` (also with a fraction or an offset) to milliseconds since 1970.
pub fn rfc3339_millis(text: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let separators = [(4, '-'), (7, '-'), (13, ':'), (16, ':')];
    let separated = separators.iter().all(|(index, separator)| {
        text.get(*index..).is_some_and(|rest| rest.starts_with(*separator))
    });
    let date_ends = text.get(10..).is_some_and(|rest| rest.starts_with(['T', 't', ' ']));
    if !separated || !date_ends {
        return None;
    }
    let days = days_since_1970(number(0..4)?, number(5..7)?, number(8..10)?)?;
    let seconds = days * 86_400 + number(11..13)? * 3600 + number(14..16)? * 60 + number(17..19)?;
    let zone = text.get(19..)?.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    u64::try_from(seconds - offset_seconds(zone)?).ok()?.checked_mul(1000)
}

/// Parses `Z`, `+02:00`, `-0530`.
fn offset_seconds(zone: &str) -> Option<i64> {
    let sign = match zone.chars().next()? {
        'Z' | 'z' => return Some(0),
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let hours: i64 = digits.get(0..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..4)?.parse().ok()?;
    Some(sign * (hours * 3600 + minutes * 60))
}

/// Counts the days of the Gregorian calendar, with years that begin in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let leap_days = year / 4 - year / 100 + year / 400;
    Some(year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(payload: &str) -> String {
        format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(payload))
    }

    #[test]
    fn seconds_become_milliseconds() {
        assert_eq!(millis(1_900_000_000), 1_900_000_000_000);
        assert_eq!(millis(1_900_000_000_000), 1_900_000_000_000);
        assert_eq!(millis(0), 0);
    }

    #[test]
    fn token_expiry_is_parsed() {
        assert_eq!(jwt_expiry(&token(r#"{"exp":1900000000}"#)), Some(1_900_000_000_000));
        assert_eq!(jwt_expiry(&token(r#"{"exp":1900000000.5}"#)), Some(1_900_000_000_000));
        for broken in ["", "a", "a.b.c", &token("{}"), &token("no json"), &token(r#"{"exp":-1}"#)] {
            assert_eq!(jwt_expiry(broken), None, "{broken}");
        }
    }

    #[test]
    fn rfc3339_times_are_parsed() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T12:00:00Z", Some(951_825_600_000)),
            ("2026-11-16T01:02:03.456Z", Some(1_794_790_923_000)),
            ("2026-11-16T03:02:03+02:00", Some(1_794_790_923_000)),
            ("2026-13-16T03:02:03Z", None),
            ("2026-11-16", None),
            ("2026-11-16T03:02:03", None),
            ("tomorrow, at the latest", None),
        ] {
            assert_eq!(rfc3339_millis(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_stored_text_is_accepted(text: String) {
            jwt_expiry(&text);
            rfc3339_millis(&text);
        }
    }
}
