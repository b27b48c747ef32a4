# JSON for the adapter in shell. Works on bytes (LC_ALL=C); a zero byte never arrives here.
# read_json(text) returns 1 if the text is JSON, and fills TYPE and RAW by path: "" is the value itself, "/a/0" the first
# entry of its member "a". RAW has the text of a number, and the text between the quotes of a string.

BEGIN {
    VALID = "[\001-\177]|[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]"
    VALID = VALID "|\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]"
    VALID = "^(" VALID "|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277])+"
    WINDOW = 16384; STRING_WINDOW = 512; BUFFER = 8192; MAX_DEPTH = 50; REPLACEMENT = "\357\277\275"
    for (number = 1; number < 256; number++) BYTE[sprintf("%c", number)] = number
    split("b 8 f 12 n 10 r 13 t 9 \" 34 / 47", pairs, " ")
    for (number = 1; number < 14; number += 2) ESCAPE[pairs[number]] = sprintf("%c", pairs[number + 1])
}

# Replaces bytes that are not valid UTF-8; HAS_INVALID says whether there were any.
function valid_text(text,    out, rest, window, size) {
    HAS_INVALID = 0
    if (text !~ /[\200-\377]/) return text
    for (size = 1; size <= length(text); size += WINDOW) {
        window = rest substr(text, size, WINDOW); rest = ""
        while (window != "") {
            if (match(window, VALID)) { out = out substr(window, 1, RLENGTH); window = substr(window, RLENGTH + 1) }
            if (window == "") break
            if (length(window) < 4 && size + WINDOW <= length(text)) { rest = window; break }
            HAS_INVALID = 1; out = out REPLACEMENT
            window = substr(window, 2); sub(/^[\200-\277]+/, "", window)
        }
    }
    return out
}

function read_json(text) {
    S = text; P = 1; BAD = 0
    split("", TYPE); split("", RAW)
    read_value("", 0); skip_space()
    return !BAD && P > length(S)
}

function skip_space() { while (substr(S, P, 1) ~ /[ \t\r\n]/) P++ }

function read_value(path, depth,    first, name, count) {
    skip_space(); first = substr(S, P, 1)
    if (depth > MAX_DEPTH) BAD = 1
    if (BAD) return
    if (first == "\"") { RAW[path] = read_string(); TYPE[path] = "text"; return }
    if (first != "{" && first != "[") {
        if (!match(substr(S, P, 400), /^(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null)/)) { BAD = 1; return }
        RAW[path] = substr(S, P, RLENGTH); P += RLENGTH
        TYPE[path] = RAW[path] ~ /^[tf]/ ? "boolean" : RAW[path] == "null" ? "null" : "number"
        return
    }
    TYPE[path] = first == "{" ? "object" : "list"; RAW[path] = 0; P++; skip_space()
    if (substr(S, P, 1) == (first == "{" ? "}" : "]")) { P++; return }
    for (count = 0; !BAD; count++) {
        name = count
        if (first == "{") {
            skip_space()
            if (substr(S, P, 1) != "\"") { BAD = 1; return }
            name = read_string(); gsub(/\//, "\\057", name); skip_space()
            if (substr(S, P, 1) != ":") { BAD = 1; return }
            P++
        }
        read_value(path "/" name, depth + 1); skip_space()
        RAW[path] = count + 1
        if (substr(S, P, 1) == (first == "{" ? "}" : "]")) { P++; return }
        if (substr(S, P, 1) != ",") BAD = 1
        P++
    }
}

function read_string(    start, at, window, found) {
    start = at = P + 1
    while (1) {
        window = substr(S, at, STRING_WINDOW)
        if (!match(window, /["\\\001-\037]/)) {
            if (length(window) < STRING_WINDOW) { BAD = 1; return "" }
            at += STRING_WINDOW; continue
        }
        at += RSTART - 1; found = substr(window, RSTART, 1)
        if (found == "\"") { P = at + 1; return substr(S, start, at - start) }
        window = substr(S, at + 1, 5)
        if (found == "\\" && window ~ /^["\\\/bfnrt]/) at += 2
        else if (found == "\\" && window ~ /^u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]$/) at += 6
        else { BAD = 1; return "" }
    }
}

function hex(text,    index_, value) {
    for (index_ = 1; index_ <= length(text); index_++) value = value * 16 + index("0123456789abcdef", tolower(substr(text, index_, 1))) - 1
    return value
}

function utf8(code) {
    if (code < 128) return sprintf("%c", code)
    if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
    if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
}

# The text of a string. With `for_printf`, control characters and backslashes stay escaped, for printf %b.
# Pieces are collected in a buffer, because appending to a long text copies it.
function decode(raw, for_printf,    count, parts, at, part, code, low, out, all) {
    count = split(raw, parts, /\\/)
    out = parts[1]
    for (at = 2; at <= count; at++) {
        if (length(out) > BUFFER) { all = all out; out = "" }
        part = parts[at]
        if (part == "") { out = out (for_printf ? "\\\\" : "\\") parts[++at]; continue }
        if (substr(part, 1, 1) != "u") {
            if (for_printf && part ~ /^[bfnrt]/) out = out "\\" part
            else out = out ESCAPE[substr(part, 1, 1)] substr(part, 2)
            continue
        }
        code = hex(substr(part, 2, 4)); low = 0
        if (code >= 55296 && code < 56320 && length(part) == 5 && parts[at + 1] ~ /^u[dD][c-fC-F]/) {
            low = hex(substr(parts[at + 1], 2, 4)); part = parts[++at]
            code = 65536 + (code - 55296) * 1024 + low - 56320
        }
        if (code >= 55296 && code < 57344) out = out REPLACEMENT
        else if (for_printf && (code < 32 || code == 92)) out = out sprintf("\\0%03o", code)
        else if (code == 0) out = out "\001"
        else out = out utf8(code)
        out = out substr(part, 6)
    }
    return all out
}

function joined(text, separator, escape,    count, parts, at, out, all) {
    count = split(text, parts, separator)
    out = parts[1]
    for (at = 2; at <= count; at++) {
        if (length(out) > BUFFER) { all = all out; out = "" }
        out = out escape parts[at]
    }
    return all out
}

function encode(text,    control) {
    text = joined(joined(text, "\\\\", "\\\\"), "\"", "\\\"")
    while (match(text, /[\001-\037]/)) {
        control = substr(text, RSTART, 1)
        text = joined(text, control, sprintf("\\u%04x", BYTE[control]))
    }
    return text
}
