//! One run from its place in the queue to its end.

use std::time::Duration;

use od_protocol::{ErrorEvent, ErrorKind};
use serde_json::json;
use tokio::time::Instant;

use super::room::{Call, News, Seat};
use super::words;
use crate::run::{PendingRun, Verdict, at};

/// Places are told no more often than this.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// What became of the waiting.
enum Turn {
    Admitted,
    Closed,
    Late,
    /// It was cancelled: nothing is left to do.
    Over,
}

/// Lets a run wait for its turn, starts it, and keeps its place until it is over.
pub(crate) async fn drive(pending: PendingRun, mut seat: Seat, queue_limit: Option<Duration>) {
    let run = match wait(&pending, &mut seat, queue_limit).await {
        Turn::Admitted => pending.launch(),
        Turn::Closed | Turn::Over => pending.abandon(Verdict::Cancelled),
        Turn::Late => pending.abandon(late(queue_limit.unwrap_or_default())),
    };
    run.wait().await;
}

async fn wait(pending: &PendingRun, seat: &mut Seat, queue_limit: Option<Duration>) -> Turn {
    let run = pending.handle().clone();
    let over = run.wait();
    tokio::pin!(over);
    let due = queue_limit.and_then(|limit| Instant::now().checked_add(limit));
    let mut told = None;
    loop {
        if let Some(standing) = seat.standing()
            && told.is_none_or(|told| words::is_news(told, standing.position))
        {
            pending.tell(words::queued(standing, seat.agent()));
            told = Some(standing.position);
        }
        let news = tokio::select! {
            biased;
            _ = &mut over => return Turn::Over,
            news = seat.news(Instant::now() + TELL_EVERY) => news,
            () = at(due) => return Turn::Late,
        };
        match news {
            News::Changed => {}
            News::Called(Call::Closed) => return Turn::Closed,
            News::Called(Call::Admitted) => {
                if told.is_some() {
                    pending.tell(words::starting());
                }
                return Turn::Admitted;
            }
        }
    }
}

fn late(limit: Duration) -> Verdict {
    let text = format!("the run waited {} ms in the queue, longer than it may", limit.as_millis());
    let mut error = ErrorEvent::fatal(ErrorKind::Timeout, text).with_hint(
        "allow a longer wait (queueMs), or more runs at the same time ([limits] in settings.toml)",
    );
    error.retryable = true;
    error.data = json!({"which": "queue"}).as_object().cloned();
    Verdict::TimedOut(Box::new(error))
}
