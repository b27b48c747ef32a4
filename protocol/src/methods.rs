//! One entry of a table of methods, and the macro that declares the tables of [`crate::adapter`] and [`crate::api`].

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// One method of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The name of the method, such as `run/start`.
    pub name: &'static str,
    /// The capability that the method requires.
    pub gate: Option<&'static str>,
    /// The time limit of a response in milliseconds. The grace period of `shutdown` and the wait of
    /// `runs/result` are added.
    pub limit_ms: u64,
    /// The name of the parameters' type in the schema.
    pub params: &'static str,
    /// The name of the result's type in the schema.
    pub result: &'static str,
    /// Whether the result may be null.
    pub nullable: bool,
    /// A one-sentence description.
    pub summary: &'static str,
}

impl Method {
    /// The time limit of a response.
    pub const fn limit(&self) -> Duration {
        Duration::from_millis(self.limit_ms)
    }
}

/// Connects the parameters of a method with the method and its result.
///
/// ```
/// use od_protocol::adapter::{PingParams, PingResult};
/// use od_protocol::{Call, api};
///
/// /// Sends the parameters and parses the result.
/// fn call<P: Call>(params: P, send: impl FnOnce(&str, String) -> String) -> serde_json::Result<P::Result> {
///     serde_json::from_str(&send(P::METHOD.name, serde_json::to_string(&params)?))
/// }
///
/// assert_eq!(call(PingParams {}, |method, params| {
///     assert_eq!((method, &*params), ("ping", "{}"));
///     "{}".to_owned()
/// })?, PingResult {});
/// assert_eq!(api::StartRunParams::METHOD.name, "runs/start");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait Call: Serialize + DeserializeOwned + Send {
    /// The result of the method.
    type Result: Serialize + DeserializeOwned + Send;
    /// The method.
    const METHOD: Method;
}

macro_rules! methods {
    ($($constant:ident = $name:literal, gate $gate:expr, limit $limit:literal,
        $params:ident => $result:ident $(or $null:ident)?, $summary:literal;)+) => {
        $(
            #[doc = $summary]
            pub const $constant: $crate::methods::Method = $crate::methods::Method {
                name: $name,
                gate: $gate,
                limit_ms: $limit,
                params: stringify!($params),
                result: stringify!($result),
                nullable: methods!(@nullable $($null)?),
                summary: $summary,
            };

            impl Call for $params {
                type Result = methods!(@result $result $($null)?);
                const METHOD: Method = $constant;
            }
        )+

        /// All methods, in the order of the specification.
        pub const METHODS: &[Method] = &[$($constant),+];
    };
    (@nullable) => { false };
    (@nullable null) => { true };
    (@result $result:ident) => { $result };
    (@result $result:ident null) => { Option<$result> };
}

pub(crate) use methods;
