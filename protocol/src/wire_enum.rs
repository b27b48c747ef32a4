//! One way to declare an open string enum: known words have a variant, an unknown word gets the
//! safe reading that the specification names, and the published schema stays open.

/// Declares an enum whose JSON form is a string.
///
/// `unknown => X` names the variant an unknown word is read as. serde's `#[serde(other)]` would
/// read the same but publish a closed schema, so the schema here lists the known words and allows
/// any other string.
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

            /// The word on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Reads a word; an unknown one gets the safe reading.
            pub fn from_wire(text: &str) -> Self {
                match text { $($text => Self::$variant,)+ _ => Self::$fallback }
            }

            /// Reads a word; an unknown one is `None`.
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
                          "description": format!("A later word; readers of this version take it for `{}`.",
                              Self::$fallback) }
                    ]
                })
            }
        }
    };
}

pub(crate) use wire_enum;
