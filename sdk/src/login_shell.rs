//! The PATH a login shell would set.
