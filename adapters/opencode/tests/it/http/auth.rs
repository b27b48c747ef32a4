//! The login is the one of OpenCode itself; its cases are tested with `opencode`.

use od_protocol::AuthState;
use od_sdk::Adapter;
use od_sdk::testing::MadeUpHome;
use opencode_family::OpenCodeHttp;

#[test]
fn a_key_is_a_login_and_none_is_none() {
    let home = MadeUpHome::new(&[], &[("OPENAI_API_KEY", "sk-secret")]);
    assert_eq!(OpenCodeHttp.auth(home.machine()).state, AuthState::Ok);
    let home = MadeUpHome::new(&[], &[]);
    assert_eq!(OpenCodeHttp.auth(home.machine()).state, AuthState::Missing);
}
