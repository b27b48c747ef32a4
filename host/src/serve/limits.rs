//! How long a client may take. These are no settings: they are far from what a good client needs, and only tests
//! want others.

use std::time::Duration;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    /// For agreeing on TLS.
    pub handshake: Duration,
    /// For all headers of a request, also for a connection that is opened and stays silent.
    pub headers: Duration,
    /// For the body of a request.
    pub body: Duration,
    /// A client that takes nothing for so long, though something is there for it, is let go.
    pub stall: Duration,
    /// How often a WebSocket is pinged.
    pub ping: Duration,
    /// A WebSocket that answers no ping for so long is gone. Long enough for one that is merely slow: a ping waits
    /// behind the events before it.
    pub silence: Duration,
}

impl Default for TimeLimits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(30),
            body: Duration::from_secs(30),
            stall: Duration::from_secs(120),
            ping: Duration::from_secs(30),
            silence: Duration::from_secs(180),
        }
    }
}
