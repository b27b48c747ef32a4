//! The `status` events of a waiting run.

use od_protocol::{Event, Status};

use super::fair::{QueuePosition, WaitReason};

/// Up to this position every step is reported; further back only larger ones.
const REPORT_EVERY_STEP_FROM: u32 = 10;

/// The `status` event of a waiting run.
pub(super) fn queued(position: QueuePosition, agent: &str) -> Event {
    let QueuePosition { number, reason } = position;
    let (count, whose) = match reason {
        WaitReason::AgentLimit(count) => (count, format!(" of {agent}")),
        WaitReason::HostLimit(count) => (count, String::new()),
    };
    let running = match count {
        1 => format!("1 run{whose} is running"),
        _ => format!("{count} runs{whose} are running"),
    };
    status("queued", Some(format!("{} in the queue; {running}", ordinal(number))))
}

/// The `status` event of a run that is admitted after waiting.
pub(super) fn starting() -> Event {
    status("starting", None)
}

/// Whether a new position is reported: near the front every one, further back each tenth of the way. The journal of a
/// run gets some dozens of these events, however long the queue is.
pub(super) fn must_report(reported: u32, now: u32) -> bool {
    now != reported
        && (now <= REPORT_EVERY_STEP_FROM || now.abs_diff(reported).saturating_mul(10) >= reported)
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
    fn queued_status_names_position_and_reason() {
        let detail = |number, reason| match queued(QueuePosition { number, reason }, "x") {
            Event::Status(status) => status.detail.unwrap_or_default(),
            other => panic!("no status: {other:?}"),
        };
        let text = detail(3, WaitReason::AgentLimit(2));
        assert_eq!(text, "3rd in the queue; 2 runs of x are running");
        assert_eq!(detail(1, WaitReason::HostLimit(1)), "1st in the queue; 1 run is running");
    }

    #[test]
    fn ordinals_have_english_endings() {
        let words: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).into();
        let expected =
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"];
        assert_eq!(words, expected);
    }

    #[test]
    fn long_wait_reports_few_positions() {
        let mut reported = 1000;
        let mut count = 0;
        for now in (1..1000).rev() {
            if must_report(reported, now) {
                (reported, count) = (now, count + 1);
            }
        }
        assert_eq!(reported, 1);
        assert!((20..80).contains(&count), "{count}");
    }
}
