//! What each capability lets an agent do, as words after "cannot". A name that is not here is one that
//! this host does not know.

const ABILITIES: [(&str, &str); 30] = [
    ("run", "be run"),
    ("input", "be told something while it works"),
    ("input.steer", "be told something in the middle of its work"),
    ("approvals", "ask before it does something"),
    ("approvals.editInput", "take a changed command with an approval"),
    ("models", "be given a model"),
    ("quota", "say what is left of your allowance"),
    ("sessions", "list its own sessions"),
    ("resume", "go on with an earlier session"),
    ("fork", "go on with a copy of a session"),
    ("effort", "be told how hard to think"),
    ("thinkingBudget", "be given a number of thinking tokens"),
    ("thinking", "show its thoughts"),
    ("tools", "show what its tools do"),
    ("textDeltas", "show its answer while it is written"),
    ("fileChanges", "say which files it changes"),
    ("usage", "count tokens"),
    ("usage.cost", "say what a run costs"),
    ("subagents", "show its helpers"),
    ("systemPrompt", "be given instructions above the conversation"),
    ("attachments", "take files with a prompt"),
    ("images", "take pictures with a prompt"),
    ("skills", "take folders of skills"),
    ("addDirs", "work in further folders"),
    ("toolLists", "be allowed or denied single tools"),
    ("permissionModes", "be given a permission mode"),
    ("policy", "keep rules for shell and network"),
    ("mcpServers", "be given MCP servers"),
    ("outputSchema", "give its answer as JSON of a given shape"),
    ("maxTurns", "stop after a number of turns"),
];

/// What the agent cannot do without this capability; `None` for a name that is not known.
pub(super) fn ability(name: &str) -> Option<&'static str> {
    ABILITIES.iter().find(|(known, _)| *known == name).map(|(_, ability)| *ability)
}
