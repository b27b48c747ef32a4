//! One run from its place in the queue to its end, also when it goes to another agent meanwhile.

use std::time::Duration;

use od_protocol::{ErrorEvent, ErrorKind, Event};
use serde_json::json;
use tokio::time::Instant;

use super::room::{Call, News, Seat};
use super::words;
use crate::run::{CountedRun, PendingRun, Verdict, at};

/// Places are told no more often than this.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// What became of the waiting.
enum Turn {
    Admitted,
    Closed,
    Late,
    /// It does not wait any more: nothing is left to do.
    Over,
}

/// Lets a run wait for its turn, starts it, and keeps its place until it is over. A run that goes to another agent
/// waits for its turn there.
pub(crate) async fn drive(pending: PendingRun, mut seat: Seat, queue_limit: Option<Duration>) {
    let run = pending.handle().clone();
    let tell = |event| pending.tell(event);
    let verdict = match wait(&mut seat, queue_limit, tell, run.wait()).await {
        Turn::Admitted if seat.may_begin() => {
            return accompany(pending.launch_counted(), seat, queue_limit).await;
        }
        Turn::Admitted | Turn::Closed | Turn::Over => Verdict::Cancelled,
        Turn::Late => late(queue_limit.unwrap_or_default()),
    };
    pending.abandon(verdict).wait().await;
}

/// Keeps a run's place to its end, with whichever agent it is.
async fn accompany(mut run: CountedRun, mut seat: Seat, queue_limit: Option<Duration>) {
    while let Some(mut wish) = run.next_move().await {
        seat.move_to(&wish.agent);
        let tell = |event| run.tell(event);
        match wait(&mut seat, queue_limit, tell, wish.given_up()).await {
            Turn::Admitted => wish.admit(),
            Turn::Closed | Turn::Over => wish.abandon(Verdict::Cancelled),
            Turn::Late => wish.abandon(late(queue_limit.unwrap_or_default())),
        }
    }
}

/// Waits for a place and tells how it stands, until there is one or `over` comes.
async fn wait<Over>(
    seat: &mut Seat,
    queue_limit: Option<Duration>,
    tell: impl Fn(Event),
    over: impl Future<Output = Over>,
) -> Turn {
    tokio::pin!(over);
    let due = queue_limit.and_then(|limit| Instant::now().checked_add(limit));
    let mut told = None;
    loop {
        if let Some(standing) = seat.standing()
            && told.is_none_or(|told| words::is_news(told, standing.position))
        {
            tell(words::queued(standing, seat.agent()));
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
                    tell(words::starting());
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
