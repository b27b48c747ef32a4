# One line of the host to a record for the shell: a word, then `path<TAB>type<TAB>value` lines, then a dot.
{ line = line (NR > 1 ? "\n" : "") $0 }

END {
    text = valid_text(line)
    if (HAS_INVALID || !read_json(text)) { print "parse_error\n."; exit }
    is_message = TYPE[""] == "object" && TYPE["/jsonrpc"] == "text" && RAW["/jsonrpc"] == "2.0"
    if (is_message && !("/method" in TYPE) && (("/result" in TYPE) || ("/error" in TYPE))) { print "response\n."; exit }
    has_id = !("/id" in TYPE) || TYPE["/id"] == "text" || TYPE["/id"] == "number"
    if (!is_message || TYPE["/method"] != "text" || !has_id) { print "invalid_request\n."; exit }
    if (!("/id" in TYPE)) { print "notification\n."; exit }
    print "request"
    print "id\traw\t" (TYPE["/id"] == "text" ? "\"" RAW["/id"] "\"" : RAW["/id"])
    print "runId\traw\t\"" RAW["/params/runId"] "\""
    used = "^/(method|params(/(runId|cwd|session(/mode)?|prompt(/(text|system|attachments|images))?|(env|timeouts)(/[^/]*)?"
    used = used "|(config|limits|protocol)(/[^/]*)?|hostPid|graceMs|refresh|model|effort|thinkingBudgetTokens|skills|addDirs"
    used = used "|allowedTools|deniedTools|permissionMode|policy|mcpServers|outputSchema|maxTurns|adapterOptions|tracePath))?)$"
    for (path in TYPE) if (path ~ used) print path "\t" TYPE[path] "\t" (TYPE[path] == "text" ? decode(RAW[path], 1) : RAW[path])
    print "."
}
