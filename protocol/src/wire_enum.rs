//! A macro that declares open string enums: known values have a variant, an unknown value is read as the safe variant
//! of the specification, and the published schema stays open.

/// Declares an enum whose JSON form is a string.
///
/// `unknown => X` names the variant that an unknown value is read as. serde's `#[serde(other)]` would read the same
/// but publish a closed schema; the schema here lists the known values and allows any other string.
macro_rules! wire_enum {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident, unknown => $fallback:ident {
            $($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $name {
            /// Every known value, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The value in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Parses a value; an unknown one becomes the safe variant.
            pub fn from_wire(text: &str) -> Self {
                match text { $($text => Self::$variant,)+ _ => Self::$fallback }
            }

            /// Parses a value; an unknown one is `None`.
            pub fn from_known(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Ok(Self::from_wire(&text))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "description": concat!($($about),+).trim(),
                    "anyOf": [
                        $({ "const": $text, "description": concat!($($doc),+).trim() },)+
                        { "type": "string",
                          "description": format!("A value of a later version; readers of this version treat it as `{}`.",
                              Self::$fallback) }
                    ]
                })
            }
        }
    };
}

pub(crate) use wire_enum;
