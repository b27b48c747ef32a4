"""The manifest, and the capabilities of a variant."""

VERSION_MIN, VERSION_TESTED = "3.2.0", "3.10.1"
EFFORTS, MODES = ["low", "high"], ["plan", "ask", "auto"]
FEW = ("run", "textDeltas", "tools", "usage", "approvals", "models")


def capabilities(variant):
    declared = {
        "run": {}, "textDeltas": {}, "thinking": {}, "tools": {}, "fileChanges": {}, "usage": {"cost": True},
        "approvals": {"editInput": variant.edit_input}, "input": {"steer": variant.steer}, "resume": {}, "fork": {},
        "models": {}, "effort": {"levels": EFFORTS}, "permissionModes": {"modes": MODES}, "policy": {},
        "systemPrompt": {}, "attachments": {}, "images": {}, "addDirs": {}, "toolLists": {}, "mcpServers": {},
        "outputSchema": {}, "maxTurns": {}, "thinkingBudget": {},
    }
    if variant.chunks == "whole":
        del declared["textDeltas"]
    if variant.capabilities != "all":
        kept = FEW if variant.capabilities == "few" else ("run",)
        declared = {name: detail for name, detail in declared.items() if name in kept}
    if variant.unknown_fields:
        declared["holograms"] = {"depth": 3}
    return declared


def manifest(variant):
    document = {
        "manifestVersion": "1.7" if variant.unknown_fields else "1.0", "adapterId": "right", "displayName": "Heron",
        "version": "0.3.0", "vendor": "Example Ltd", "protocol": {"min": 1, "max": 1},
        "capabilities": capabilities(variant),
        "cli": {"names": ["heron", "heron-cli"], "transport": "stdio", "versionMin": VERSION_MIN,
                "versionTested": VERSION_TESTED},
        "auth": {"methods": ["api_key", "oauth"], "env": ["HERON_API_KEY"], "files": ["~/.heron/login.json"],
                 "loginCommand": "heron login"},
    }
    if variant.optional_fields == "all":
        document |= {"description": "An adapter that is right, in another way.", "license": "MIT", "pluginFormats": [],
                     "requirements": {"bins": [], "env": [], "platforms": ["linux"]}, "signature": None,
                     "homepage": "https://example.org"}
    return document
