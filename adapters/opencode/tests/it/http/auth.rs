//! The login is that of OpenCode; the tests of `opencode` cover its cases.

use od_protocol::AuthState;
use od_sdk::Adapter;
use od_sdk::testing::TestHome;
use opencode_family::OpenCodeHttp;

#[test]
fn key_is_a_login() {
    let home = TestHome::new(&[], &[("OPENAI_API_KEY", "sk-secret")]);
    assert_eq!(OpenCodeHttp.auth(home.machine()).state, AuthState::Ok);
    let home = TestHome::new(&[], &[]);
    assert_eq!(OpenCodeHttp.auth(home.machine()).state, AuthState::Missing);
}
