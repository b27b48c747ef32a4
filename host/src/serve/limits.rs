//! Time limits for clients. They are not settings: well-behaved clients stay far below them, and only tests change
//! them.

use std::time::Duration;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLimits {
    /// For the TLS handshake.
    pub handshake: Duration,
    /// For all headers of a request, and for a new connection that sends nothing.
    pub headers: Duration,
    /// For the body of a request.
    pub body: Duration,
    /// A client that reads nothing for this long while data is pending is disconnected.
    pub stall: Duration,
    /// The interval between pings of a WebSocket.
    pub ping: Duration,
    /// A WebSocket client that sends nothing, not even a pong, for this long is disconnected. Much longer than `ping`,
    /// because a ping queues behind the events before it.
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
