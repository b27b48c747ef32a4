//! Chooses the tools of a scenario from the request. `arguments` fills their arguments.

use serde_json::{Value, json};

use super::arguments::{Intent, arguments, has_property};
use super::prompt::Directions;
use super::scenario::Scenario;

#[derive(Debug, Clone)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    /// The schema of its arguments; null for a built-in tool of the provider.
    pub(super) schema: Value,
    /// How it is called.
    pub(super) form: ToolForm,
}

/// How a tool is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolForm {
    Function,
    Freeform,
    /// With a command line, as in the Responses API.
    LocalShell,
}

/// A call the model makes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ToolCall {
    pub(super) name: String,
    pub(super) input: ToolInput,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ToolInput {
    Arguments(Value),
    Freeform(String),
    /// A command line.
    LocalShell(Vec<String>),
}

// Names in lower case without `_` and `-`; the first available one is used.
const WRITE_NAMES: [&str; 8] = [
    "write",
    "writefile",
    "create",
    "createfile",
    "writetofile",
    "savefile",
    "strreplaceeditor",
    "strreplacebasededittool",
];
const SHELL_NAMES: [&str; 13] = [
    "bash",
    "shell",
    "shellcommand",
    "execcommand",
    "runshellcommand",
    "execshell",
    "executecommand",
    "runcommand",
    "terminal",
    "runinterminal",
    "runterminalcmd",
    "exec",
    "localshell",
];
const READ_NAMES: [&str; 4] = ["read", "readfile", "view", "viewfile"];
const SUBAGENT_NAMES: [&str; 8] = [
    "agent",
    "task",
    "spawnagent",
    "subagent",
    "runsubagent",
    "delegatetask",
    "sessionsspawn",
    "invokeagent",
];

const FILE: &str = "hello.txt";
const SUBAGENT_PROMPT: &str = "Answer in one sentence. SCN:plain";

/// The calls of a scenario in this round; none without suitable tools.
pub(super) fn calls(tools: &[Tool], directions: &Directions) -> Vec<ToolCall> {
    let tool_box = ToolBox { tools, directions };
    let round = directions.rounds;
    let write = || tool_box.write(FILE).or_else(|| tool_box.patch());
    let one = match (directions.scenario, round) {
        (Scenario::Write, 0) | (Scenario::Multi, 1) => {
            write().or_else(|| tool_box.shell(&tool_box.write_command()))
        }
        (Scenario::Shell, 0) => {
            tool_box.shell(&format!("echo shell-ok{}; echo to-stderr >&2", tool_box.suffix()))
        }
        (Scenario::Multi, 0) => tool_box.shell(&format!("echo round-one{}", tool_box.suffix())),
        // Some agent CLIs refuse a plain `sleep`, and some have a built-in one that is not a
        // process.
        (Scenario::Sleep, 0) => tool_box.shell("true && /bin/sleep 60"),
        (Scenario::ToolFail, 0) => tool_box
            .shell("echo about-to-fail; exit 3")
            .or_else(|| tool_box.read("does-not-exist.txt")),
        (Scenario::Patch, 0) => tool_box
            .patch()
            .or_else(|| tool_box.write(FILE))
            .or_else(|| tool_box.shell(&tool_box.patch_command())),
        (Scenario::Parallel, 0) => return tool_box.pair(),
        (Scenario::Subagent, 0) => tool_box.subagent(),
        (Scenario::BadTool, 0) => Some(ToolCall {
            name: "NoSuchTool".to_owned(),
            input: ToolInput::Arguments(json!({"a": 1})),
        }),
        (Scenario::CallTool, 0) => tool_box.named(),
        _ => None,
    };
    one.into_iter().collect()
}

struct ToolBox<'a> {
    tools: &'a [Tool],
    directions: &'a Directions,
}

impl ToolBox<'_> {
    fn shell(&self, command: &str) -> Option<ToolCall> {
        let tool = self
            .by_name(&SHELL_NAMES)
            .filter(|tool| tool.form != ToolForm::Freeform)
            .or_else(|| self.by_shape(&["command"]))?;
        let patient = self.directions.scenario == Scenario::Sleep;
        Some(call(tool, &Intent { command: Some(command), patient, ..Intent::default() }))
    }

    fn write(&self, name: &str) -> Option<ToolCall> {
        let tool = self
            .by_name(&WRITE_NAMES)
            .filter(|tool| tool.form == ToolForm::Function)
            .or_else(|| self.by_shape(&["path", "content"]))?;
        let (path, content) = (self.path(name), self.content());
        let intent = Intent { path: Some(&path), content: Some(&content), ..Intent::default() };
        Some(call(tool, &intent))
    }

    fn read(&self, name: &str) -> Option<ToolCall> {
        let path = self.path(name);
        let tool = self.by_name(&READ_NAMES)?;
        Some(call(tool, &Intent { path: Some(&path), ..Intent::default() }))
    }

    fn patch(&self) -> Option<ToolCall> {
        let tool = self.by_name(&["applypatch"])?;
        let input = match tool.form {
            ToolForm::Freeform => ToolInput::Freeform(self.patch_text()),
            ToolForm::Function | ToolForm::LocalShell => {
                let properties = tool.schema["properties"].as_object();
                let key = properties.and_then(|properties| properties.keys().next());
                let key = key.map_or("input", String::as_str);
                ToolInput::Arguments(json!({ key: self.patch_text() }))
            }
        };
        Some(ToolCall { name: tool.name.clone(), input })
    }

    fn subagent(&self) -> Option<ToolCall> {
        let tool = self.by_name(&SUBAGENT_NAMES)?;
        Some(call(tool, &Intent { prompt: Some(SUBAGENT_PROMPT), ..Intent::default() }))
    }

    fn named(&self) -> Option<ToolCall> {
        let name = self.directions.tool.as_deref()?;
        let tool = self.tools.iter().find(|tool| tool.name == name)?;
        let (path, content) = (self.path(FILE), self.content());
        let intent = Intent {
            command: Some("true"),
            path: Some(&path),
            content: Some(&content),
            prompt: Some(SUBAGENT_PROMPT),
            patient: false,
        };
        Some(call(tool, &intent))
    }

    fn pair(&self) -> Vec<ToolCall> {
        let first = self.shell(&format!("echo one{}", self.suffix()));
        let second = self
            .write("two.txt")
            .or_else(|| self.patch())
            .or_else(|| self.shell(&format!("echo two{}", self.suffix())));
        first.into_iter().chain(second).collect()
    }

    fn by_name(&self, names: &[&str]) -> Option<&Tool> {
        names.iter().find_map(|name| self.tools.iter().find(|tool| plain_name(tool) == *name))
    }

    /// Finds a tool with an unknown name by its required arguments.
    fn by_shape(&self, roles: &[&str]) -> Option<&Tool> {
        self.tools.iter().find(|tool| {
            tool.form == ToolForm::Function && roles.iter().all(|role| has_property(tool, role))
        })
    }

    fn path(&self, name: &str) -> String {
        match &self.directions.cwd {
            Some(cwd) => std::path::Path::new(cwd).join(name).to_string_lossy().into_owned(),
            None => name.to_owned(),
        }
    }

    fn suffix(&self) -> String {
        self.directions.nonce.as_ref().map(|nonce| format!(" {nonce}")).unwrap_or_default()
    }

    fn content(&self) -> String {
        format!("hello from the fake model{}\n", self.suffix())
    }

    fn write_command(&self) -> String {
        format!("printf 'hello from the fake model{}\\n' > {FILE}", self.suffix())
    }

    fn patch_text(&self) -> String {
        format!("*** Begin Patch\n*** Add File: {FILE}\n+{}*** End Patch\n", self.content())
    }

    fn patch_command(&self) -> String {
        format!("apply_patch <<'EOF'\n{}EOF\n", self.patch_text())
    }
}

fn call(tool: &Tool, intent: &Intent<'_>) -> ToolCall {
    let input = match (tool.form, intent.command) {
        (ToolForm::LocalShell, Some(command)) => {
            ToolInput::LocalShell(["bash", "-lc", command].into_iter().map(str::to_owned).collect())
        }
        (ToolForm::Freeform, _) => ToolInput::Freeform(intent.any_text().to_owned()),
        (ToolForm::Function | ToolForm::LocalShell, _) => {
            ToolInput::Arguments(arguments(tool, intent))
        }
    };
    ToolCall { name: tool.name.clone(), input }
}

fn plain_name(tool: &Tool) -> String {
    tool.name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}
