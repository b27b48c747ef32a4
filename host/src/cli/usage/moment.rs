//! A time as it is typed: `7d`, `yesterday`, `2026-11-01`. Read first, placed on the time line later.

use jiff::civil::Date;
use jiff::{Span, ToSpan, Zoned};

const EXAMPLES: &str = "type for instance 7d, 24h, 2w, 2026-11-01, 2026-11, today or yesterday";
/// Nobody has runs from before that, and calendars end somewhere.
const LONGEST: i64 = 10_000;

/// What was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Moment {
    /// So many hours ago.
    HoursAgo(i64),
    /// At this time of day, so many days ago.
    DaysAgo(i64),
    /// The day so many days ago.
    Day(i64),
    /// A day of the calendar.
    Date(Date),
    /// A month of the calendar, as its first day.
    Month(Date),
}

impl Moment {
    /// Reads what was typed.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let read = match text {
            "today" => Some(Self::Day(0)),
            "yesterday" => Some(Self::Day(1)),
            _ => ago(text).or_else(|| calendar(text)),
        };
        read.ok_or_else(|| EXAMPLES.to_owned())
    }

    /// Where it begins, in milliseconds since 1970.
    pub(super) fn begin(&self, now: &Zoned) -> u64 {
        milliseconds(match self {
            Self::HoursAgo(hours) => now.saturating_sub(hours.hours()),
            Self::DaysAgo(days) => now.saturating_sub(days.days()),
            Self::Day(_) | Self::Date(_) | Self::Month(_) => self.midnight(now, Span::new()),
        })
    }

    /// Where it is over, in milliseconds since 1970.
    pub(super) fn end(&self, now: &Zoned) -> u64 {
        match self {
            Self::HoursAgo(_) | Self::DaysAgo(_) => self.begin(now),
            Self::Day(_) | Self::Date(_) => milliseconds(self.midnight(now, 1.day())),
            Self::Month(_) => milliseconds(self.midnight(now, 1.month())),
        }
    }

    /// The beginning of the day so long after the one that is meant; of today where a calendar ends.
    fn midnight(&self, now: &Zoned, later: Span) -> Zoned {
        let date = match self {
            Self::Date(date) | Self::Month(date) => *date,
            Self::Day(days) => now.date().saturating_sub(days.days()),
            Self::HoursAgo(_) | Self::DaysAgo(_) => now.date(),
        };
        let midnight = date.saturating_add(later).to_zoned(now.time_zone().clone());
        midnight.unwrap_or_else(|_| now.clone())
    }
}

/// `24h`, `7d`, `2w`.
fn ago(text: &str) -> Option<Moment> {
    let unit = text.chars().next_back().filter(char::is_ascii)?;
    let count = &text[..text.len() - 1];
    let count = count.parse().ok().filter(|count| (0..=LONGEST).contains(count))?;
    match unit {
        'h' => Some(Moment::HoursAgo(count)),
        'd' => Some(Moment::DaysAgo(count)),
        'w' => Some(Moment::DaysAgo(count * 7)),
        _ => None,
    }
}

/// `2026-11-01`, `2026-11`.
fn calendar(text: &str) -> Option<Moment> {
    let date = |text: &str| text.parse::<Date>().ok();
    match text.len() {
        10 => date(text).map(Moment::Date),
        7 => date(&format!("{text}-01")).map(Moment::Month),
        _ => None,
    }
}

fn milliseconds(moment: Zoned) -> u64 {
    u64::try_from(moment.timestamp().as_millisecond()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
        jiff::civil::date(2026, 11, 16).at(14, 30, 0, 0).to_zoned(zone).expect("a moment")
    }

    /// Begin and end of what was typed, as the user's clock shows them.
    fn span(text: &str) -> (String, String) {
        let moment = Moment::read(text).expect("a moment");
        let shown = |milliseconds: u64| {
            let milliseconds = i64::try_from(milliseconds).expect("a time of our days");
            let timestamp = jiff::Timestamp::from_millisecond(milliseconds).expect("a moment");
            timestamp.to_zoned(now().time_zone().clone()).strftime("%F %R").to_string()
        };
        (shown(moment.begin(&now())), shown(moment.end(&now())))
    }

    #[test]
    fn days_begin_at_midnight_and_are_included() {
        for (text, begin, end) in [
            ("today", "2026-11-16 00:00", "2026-11-17 00:00"),
            ("yesterday", "2026-11-15 00:00", "2026-11-16 00:00"),
            ("2026-11-01", "2026-11-01 00:00", "2026-11-02 00:00"),
            ("2026-11", "2026-11-01 00:00", "2026-12-01 00:00"),
            ("24h", "2026-11-15 14:30", "2026-11-15 14:30"),
            ("7d", "2026-11-09 14:30", "2026-11-09 14:30"),
            ("2w", "2026-11-02 14:30", "2026-11-02 14:30"),
        ] {
            assert_eq!(span(text), (begin.to_owned(), end.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_examples() {
        for text in
            ["", "d", "soon", "7", "7y", "-7d", "+", "2026-13-01", "2026-11-31", "99999999d", "7ä"]
        {
            let error = Moment::read(text).expect_err(text);
            assert!(error.contains("7d") && error.contains("yesterday"), "{text}: {error}");
        }
    }
}
