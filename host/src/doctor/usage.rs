//! Lines of the usage ledger that cannot be read.

use super::Check;
use crate::home::OdHome;
use crate::usage;

pub(super) fn check(home: &OdHome) -> Vec<Check> {
    let conditions = match usage::examine(home) {
        Ok(conditions) => conditions,
        Err(error) => {
            return vec![Check::fail("usage", error.message, error.hint.unwrap_or_default())];
        }
    };
    let damaged = conditions.iter().filter(|condition| condition.unread > 0);
    let mut checks: Vec<Check> = damaged.map(damage).collect();
    if checks.is_empty() {
        let rows: u64 = conditions.iter().map(|condition| condition.rows).sum();
        checks.push(Check::ok(
            "usage",
            format!("the usage ledger has {rows} rows, all of them whole"),
        ));
    }
    checks
}

fn damage(condition: &usage::LedgerFile) -> Check {
    let path = condition.path.display();
    let found = format!(
        "{} of {} lines of {path} are damaged or of a later version; they are not counted",
        condition.unread,
        condition.unread + condition.rows,
    );
    Check::warn("usage.damaged", found, format!("to see them: grep -nv '^{{\"v\":1,' '{path}'"))
}
