//! The checks, one file per chapter, in the order they are reported.

pub mod can;
pub mod det;
pub mod enc;
pub mod env;
pub mod err;
pub mod hs;
pub mod man;
pub mod ord;
pub mod prm;
pub mod rob;
pub mod run;
pub mod sch;
pub mod shu;

mod expectations;
mod snapshot;

use crate::case::Check;

/// Every check, in the order of the specification.
pub fn all() -> Vec<Check> {
    let chapters = [
        man::CHECKS,
        hs::CHECKS,
        shu::CHECKS,
        det::CHECKS,
        prm::CHECKS,
        env::CHECKS,
        run::CHECKS,
        ord::CHECKS,
        enc::CHECKS,
        rob::CHECKS,
        can::CHECKS,
        err::CHECKS,
        sch::CHECKS,
    ];
    chapters.concat()
}
