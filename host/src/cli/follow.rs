//! Following a run: events from the journal to the screen, answers and signals back to the run.

mod answer;
mod desk;
mod follower;
mod printer;
mod view;

pub(crate) use desk::{AnswerRules, Desk};
pub(crate) use follower::{Control, Ending, Follower};
pub(crate) use view::View;
