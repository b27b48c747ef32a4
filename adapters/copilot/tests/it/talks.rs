//! Every recorded talk over ACP: what the agent said in, the expected events out.

use od_adapter_copilot::live;
use od_protocol::adapter::StartRunParams;
use od_protocol::Prompt;
use od_sdk::Exit;
use od_sdk::testing::AcpTalk;

use crate::recordings::recording;

fn check(name: &str) {
    let recording = recording(name);
    let start_run_params = StartRunParams {
        cwd: "/workspace".to_owned(),
        prompt: Prompt { text: "hello".to_owned(), ..Prompt::default() },
        ..StartRunParams::default()
    };
    let mut mapper = live::mapper(&start_run_params);
    let talk = AcpTalk::read(&recording.read("acp.jsonl"));
    recording.check(&talk.replay(&mut *mapper, &Exit { code: Some(0), ..Exit::default() }));
}

macro_rules! talks {
    ($($name:ident)+) => {
        /// Both sides of a talk are in `<name>.acp.jsonl`; what the agent said of it is beside, for
        /// whoever compares what the CLI prints with what it printed then.
        pub(crate) const TALKS: &[&str] = &[$(stringify!($name)),+];

        $(#[test] fn $name() { check(stringify!($name)); })+
    };
}

talks! {
    acp_cancel acp_misc acp_plain acp_r401 acp_r429long acp_shell_allow acp_shell_reject acp_think
    acp_write_allow acp_write_allowall
}
