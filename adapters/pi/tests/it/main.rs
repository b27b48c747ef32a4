//! The adapters of Pi and oh-my-pi against recordings and test homes.

mod omp;
mod pi;
mod replay;
