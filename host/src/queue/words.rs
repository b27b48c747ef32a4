//! What the events of a run say while it waits.

use od_protocol::{Event, Status};

use super::fair::{Obstacle, Standing};

/// Every step is told from here on; further back only bigger ones are.
const NEAR: u32 = 10;

/// `status` of a run that waits.
pub(super) fn queued(standing: Standing, agent: &str) -> Event {
    let Standing { position, obstacle } = standing;
    let (count, whose) = match obstacle {
        Obstacle::Agent(count) => (count, format!(" of {agent}")),
        Obstacle::Host(count) => (count, String::new()),
    };
    let going_on = match count {
        1 => format!("1 run{whose} is going on"),
        _ => format!("{count} runs{whose} are going on"),
    };
    status("queued", Some(format!("{} in the queue; {going_on}", ordinal(position))))
}

/// `status` of a run that has waited and is let in.
pub(super) fn starting() -> Event {
    status("starting", None)
}

/// Whether a new place is worth an event: near the front each is, further back every tenth part of the way. So the
/// journal of a run gets some dozens of them, however long the queue is.
pub(super) fn is_news(told: u32, now: u32) -> bool {
    now != told && (now <= NEAR || now.abs_diff(told).saturating_mul(10) >= told)
}

fn status(phase: &str, detail: Option<String>) -> Event {
    Event::Status(Status { phase: phase.to_owned(), detail, ttft_ms: None })
}

fn ordinal(number: u32) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_and_the_reason_are_told() {
        let detail = |position, obstacle| match queued(Standing { position, obstacle }, "codex") {
            Event::Status(status) => status.detail.unwrap_or_default(),
            other => panic!("no status: {other:?}"),
        };
        let text = detail(3, Obstacle::Agent(2));
        assert_eq!(text, "3rd in the queue; 2 runs of codex are going on");
        assert_eq!(detail(1, Obstacle::Host(1)), "1st in the queue; 1 run is going on");
    }

    #[test]
    fn places_have_english_endings() {
        let words: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).into();
        let expected =
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"];
        assert_eq!(words, expected);
    }

    #[test]
    fn a_long_way_takes_few_words() {
        let mut told = 1000;
        let mut count = 0;
        for now in (1..1000).rev() {
            if is_news(told, now) {
                (told, count) = (now, count + 1);
            }
        }
        assert_eq!(told, 1);
        assert!((20..80).contains(&count), "{count}");
    }
}
