//! Reads the state of a login; never a value of a secret.
