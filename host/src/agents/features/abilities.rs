//! What each capability lets an agent do; follows "cannot" in a sentence. This host does not know other names.

const ABILITIES: [(&str, &str); 30] = [
    ("run", "be run"),
    ("input", "take input during a run"),
    ("input.steer", "take input during a turn"),
    ("approvals", "ask for approval"),
    ("approvals.editInput", "take a changed command with an approval"),
    ("models", "use a chosen model"),
    ("quota", "report your remaining quota"),
    ("sessions", "list its own sessions"),
    ("resume", "resume an earlier session"),
    ("fork", "fork a session"),
    ("effort", "use a chosen reasoning effort"),
    ("thinkingBudget", "use a budget of thinking tokens"),
    ("thinking", "show its thinking"),
    ("tools", "show what its tools do"),
    ("textDeltas", "show its answer while it is written"),
    ("fileChanges", "report which files it changes"),
    ("usage", "count tokens"),
    ("usage.cost", "report the cost of a run"),
    ("subagents", "show its subagents"),
    ("systemPrompt", "use a system prompt"),
    ("attachments", "take files with a prompt"),
    ("images", "take images with a prompt"),
    ("skills", "use skill folders"),
    ("addDirs", "work in additional folders"),
    ("toolLists", "allow or deny single tools"),
    ("permissionModes", "use a permission mode"),
    ("policy", "enforce rules for shell and network"),
    ("mcpServers", "use MCP servers"),
    ("outputSchema", "return JSON of a given schema"),
    ("maxTurns", "stop after a number of turns"),
];

/// What an agent cannot do without this capability; `None` for an unknown name.
pub(super) fn ability(name: &str) -> Option<&'static str> {
    ABILITIES.iter().find(|(known, _)| *known == name).map(|(_, ability)| *ability)
}
