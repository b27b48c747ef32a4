//! The checks, one file per chapter, in the order they are reported.

pub mod apr;
pub mod can;
pub mod cap;
pub mod con;
pub mod det;
pub mod dtm;
pub mod enc;
pub mod env;
pub mod err;
pub mod fil;
pub mod flw;
pub mod hs;
pub mod inp;
pub mod liv;
pub mod man;
pub mod model;
pub mod ord;
pub mod prm;
pub mod res;
pub mod rl;
pub mod rob;
pub mod run;
pub mod sch;
pub mod ses;
pub mod shu;
pub mod tmo;

mod expectations;
mod fuzz;
mod snapshot;
mod told;
mod wishes;

use crate::case::Check;

/// Every check, in the order of the specification.
pub fn all() -> Vec<Check> {
    let chapters = [
        man::CHECKS,
        hs::CHECKS,
        liv::CHECKS,
        shu::CHECKS,
        det::CHECKS,
        cap::CHECKS,
        model::CHECKS,
        prm::CHECKS,
        env::CHECKS,
        run::CHECKS,
        ord::CHECKS,
        enc::CHECKS,
        rob::CHECKS,
        can::CHECKS,
        tmo::CHECKS,
        err::CHECKS,
        rl::CHECKS,
        ses::CHECKS,
        apr::CHECKS,
        inp::CHECKS,
        fil::CHECKS,
        con::CHECKS,
        flw::CHECKS,
        sch::CHECKS,
        dtm::CHECKS,
        res::CHECKS,
    ];
    chapters.concat()
}
