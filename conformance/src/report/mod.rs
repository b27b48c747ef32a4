//! Reports of one suite run: text on the terminal, JSON, JUnit and TAP for programs, an HTML page and
//! a badge.

mod badge;
mod chapters;
mod coverage;
mod excerpt;
mod html;
mod json;
mod junit;
mod results;
mod tap;
mod text;

pub use badge::to_badge;
pub use coverage::Coverage;
pub use html::to_html;
pub use json::to_json;
pub use junit::to_junit;
pub use results::{AgentSubject, Report};
pub use tap::to_tap;
pub use text::{print_result, print_summary};
