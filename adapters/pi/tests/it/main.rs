//! The adapters of Pi and oh-my-pi against recordings and made-up homes.

mod omp;
mod pi;
mod replay;
