//! Damaged lines of the usage ledger.

use super::Check;
use crate::home::OdHome;
use crate::usage;

pub(super) fn check(home: &OdHome) -> Vec<Check> {
    let files = match usage::examine(home) {
        Ok(files) => files,
        Err(error) => {
            return vec![Check::fail("usage", error.message, error.hint.unwrap_or_default())];
        }
    };
    let damaged = files.iter().filter(|file| file.unread > 0);
    let mut checks: Vec<Check> = damaged.map(damage).collect();
    if checks.is_empty() {
        let rows: u64 = files.iter().map(|file| file.rows).sum();
        checks.push(Check::ok("usage", format!("the usage ledger has {rows} rows, no damage")));
    }
    checks
}

fn damage(file: &usage::LedgerFile) -> Check {
    let path = file.path.display();
    let found = format!(
        "{} of {} lines of {path} are damaged or of a later version; totals exclude them",
        file.unread,
        file.unread + file.rows,
    );
    Check::warn("usage.damaged", found, format!("see them: grep -nv '^{{\"v\":1,' '{path}'"))
}
