//! Follows a run: events from the journal go to stdout, answers and signals go to the run.

mod answer;
mod approval_prompt;
mod follower;
mod printer;
mod view;

pub(crate) use approval_prompt::{AnswerRules, ApprovalPrompt};
pub(crate) use follower::{Control, Ending, Follower};
pub(crate) use view::View;
