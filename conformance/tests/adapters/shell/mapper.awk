# The lines of `my-agent` to events, one per line; lines with # are for the shell. `limit` is the most bytes of a text.
function show(event) { print event; fflush() }

function on_text(raw,    text) {
    text = decode(raw)
    if (raw ~ /\\u001[bB]/) {
        gsub(/\033\[[0-?]*[ -\/]*[@-~]/, "", text)
        gsub(/\033\][^\007\033]*(\007|\033\\)/, "", text)
        gsub(/\033[@-Z\\-_]/, "", text)
        raw = encode(text)
    } else if (raw ~ /\\u([dD][89a-fA-F]|0000)/) raw = encode(text)
    bytes += length(text)
    if (!is_open) { is_open = 1; show("{\"type\":\"message_started\",\"messageId\":\"" ++messages "\"}") }
    if (length(raw) <= limit) { show_delta(raw); return }
    while (text != "") {
        at = int(limit / 6)
        while (at < length(text) && substr(text, at + 1, 1) ~ /[\200-\277]/) at--
        show_delta(encode(substr(text, 1, at)))
        text = substr(text, at + 1)
    }
}

function show_delta(raw) { show("{\"type\":\"text_delta\",\"messageId\":\"" messages "\",\"text\":\"" raw "\"}") }
function count(name) { return TYPE[name] == "number" && RAW[name] ~ /^[0-9]+$/ && length(RAW[name]) < 16 ? RAW[name] : 0 }
function unmapped(name) {
    return "{\"type\":\"unmapped\",\"nativeType\":\"" substr(encode(name), 1, 150) "\",\"sample\":\"" samples[name] "\",\"count\":" counts[name] "}"
}

function names(    path, found) { # of the fields; values may hold secrets
    for (path in TYPE) if (path ~ /^\/[^\/]+$/) found = found " " substr(path, 2)
    gsub(/[^a-zA-Z0-9_ ]/, "?", found)
    return substr(found, 2, 150)
}

{
    if (length($0) > 16777216 || !read_json(valid_text($0)) || TYPE[""] != "object" || TYPE["/type"] != "text") { show("#"); next }
    type = decode(RAW["/type"])
    if (type == "text" && TYPE["/text"] == "text") { on_text(RAW["/text"]); next }
    if (type == "usage" && TYPE["/input"] == "number" && TYPE["/output"] == "number") {
        total = count("/input") + count("/output") + count("/cache_read") + count("/cache_write")
        usage = sprintf("\"inputTokens\":%.0f,\"outputTokens\":%.0f,\"cacheReadTokens\":%.0f,\"cacheWriteTokens\":%.0f,\"totalTokens\":%.0f", \
            count("/input"), count("/output"), count("/cache_read"), count("/cache_write"), total)
        cost = TYPE["/cost"] == "number" && RAW["/cost"] !~ /^-/ ? RAW["/cost"] : "null"
        show("#")
        next
    }
    if (type == "end") { show("#complete"); next }
    if (++counts[type] > 1) { show("#"); next }
    order[++types] = type; samples[type] = names()
    show(unmapped(type))
}

END {
    if (is_open) show("{\"type\":\"message_stopped\",\"messageId\":\"" messages "\"}")
    for (number = 1; number <= types; number++) if (counts[order[number]] > 1) show(unmapped(order[number]))
    if (usage != "") show("{\"type\":\"usage\",\"scope\":\"run\",\"cumulative\":true,\"source\":\"cli\"," usage ",\"costUsd\":" cost "}")
    show("#end " bytes + 0 " " (cost == "" ? "null" : cost))
}
