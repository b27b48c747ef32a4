"""The lines of `heron` to events. Pure: no clock, file or process.

`heron` prints one object per line, named by `e`: session, think, think_end, say, say_end, call, ret, file, ask, tokens,
limit, retry, fail, end.
"""
import json
import re
import uuid

from .wire import valid, valid_value

ESCAPE_SEQUENCES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])")
KINDS = {"read", "edit", "delete", "move", "search", "execute", "think", "fetch"}
FAILURES = {"login_expired": "auth_expired", "too_long": "context_exceeded", "no_such_model": "model_unknown",
            "slow_down": "rate_limited", "no_such_session": "session_unknown"}
STOP_REASONS = {"done": "end_turn", "length": "max_tokens", "turns": "max_turn_requests", "refused": "refusal"}
MAX_SPLIT_CHARACTERS, DELTA_CHARACTERS = 2000, 1 << 20


class Ids:
    """Ids that are unique in a run, in the form of the variant."""
    def __init__(self, form):
        self.form, self.counts = form, {}

    def next(self, kind):
        name = kind if self.form == "shared" else "all"
        self.counts[name] = number = self.counts.get(name, 0) + 1
        forms = {"named": f"{kind}-{number}", "numbers": str(number), "shared": str(number), "uuids": str(uuid.uuid4()),
                 "long": f"{kind}{number}".ljust(200, "x"), "unicode": f"№ {number} · {kind}\u2028 \"ü\" \\ 🦜"}
        return forms[self.form]


class Mapper:
    def __init__(self, variant, session, cwd, redact):
        self.variant, self.session, self.cwd, self.redact = variant, session, cwd, redact
        self.ids, self.thinking, self.message, self.text = Ids(variant.ids), None, None, []
        self.calls, self.names, self.denied = {}, set(), set()
        self.asks, self.unmapped, self.tokens, self.files = {}, {}, None, []
        self.session_id = None
        self.totals, self.delta_count = {"textBytes": 0, "toolCalls": 0}, 0
        self.final, self.has_usage = None, False  # final: ("completed", reason) or ("failed", error)

    def on_line(self, native):
        """One parsed line in, events out. Lines after the final message mean nothing."""
        if not isinstance(native, dict) or self.final:
            return []
        handler = HANDLERS.get(native.get("e")) if isinstance(native.get("e"), str) else None
        try:
            events = handler(self, native) if handler else None
        except (KeyError, TypeError, ValueError):  # a known message with wrong fields
            events = None
        return self.on_unknown(native) if events is None else events

    def on_session(self, native):
        self.session_id = require_text(native, "id")
        event = {"type": "session_started", "sessionId": self.session_id, "mode": self.session["mode"]}
        if self.session["mode"] == "fork" and self.variant.optional_fields != "none":
            event["parentSessionId"] = self.session["id"]
        if self.variant.optional_fields == "all":
            event |= {"cwd": self.cwd, "tools": ["shell"], "mcpServers": [{"name": "files", "status": "connected"}]}
        if isinstance(native.get("model"), str) and self.variant.optional_fields != "none":
            event["model"] = native["model"]
        return [event, *(self.open_message() if self.variant.early_message else [])]

    def on_think(self, native):
        text, events = ESCAPE_SEQUENCES.sub("", valid(require_text(native, "s"))), self.close_message()
        if self.thinking is None:
            self.thinking = self.ids.next("thinking")
            events.append({"type": "thinking_started", "thinkingId": self.thinking})
        pieces = self.pieces(text)
        return events + [{"type": "thinking_delta", "thinkingId": self.thinking, "text": piece} for piece in pieces]

    def on_think_end(self, native):
        return self.close_thinking()

    def on_say(self, native):
        text = ESCAPE_SEQUENCES.sub("", valid(require_text(native, "s")))
        self.totals["textBytes"] += len(text.encode())
        events = self.close_thinking() + self.open_message()
        if self.variant.chunks == "whole":
            self.text.append(text)
            return events
        return events + [self.delta(piece) for piece in self.pieces(text)]

    def on_say_end(self, native):
        return self.close_message()

    def on_call(self, native):
        id, name, input = require_text(native, "id"), require_text(native, "tool"), native.get("args", {})
        if id in self.calls:
            return None
        kind = native.get("kind") if native.get("kind") in KINDS else "other"
        self.totals["toolCalls"] += 1
        own = self.ids.next("call") if self.variant.own_tool_ids or id in self.names else id
        self.calls[id] = own
        self.names.add(own)
        started = {"type": "tool_call_started", "toolCallId": own, "name": valid(name), "kind": kind}
        ready = {"type": "tool_call_ready", "toolCallId": own, "input": valid_value(input)}
        if self.variant.optional_fields == "all":
            started["title"] = ready["title"] = f"runs {valid(name)}"
        events = [*self.close_thinking(), *self.close_message(), started]
        if self.variant.tool_input_deltas:
            text = json.dumps(ready["input"], ensure_ascii=False)
            halves = [text[:len(text) // 2], text[len(text) // 2:]]
            events += [{"type": "tool_input_delta", "toolCallId": own, "text": half} for half in halves]
        return [*events, ready]

    def on_ret(self, native):
        own = self.calls.pop(require_text(native, "id"), None)
        if own is None:
            return None
        status = "ok" if native.get("ok") is True else "error" if native.get("ok") is False else "unknown"
        status = "denied" if own in self.denied and status != "ok" else status
        output = valid_value(native.get("out"))
        result = {"type": "tool_result", "toolCallId": own, "status": status, "output": output}
        if type(native.get("exit")) is int and abs(native["exit"]) < 1 << 31 and self.variant.optional_fields != "none":
            result["exitCode"] = native["exit"]
        events = []
        if self.variant.tool_output_deltas and isinstance(output, str):
            delta = {"type": "tool_output_delta", "toolCallId": own, "text": output, "stream": "stdout"}
            events.append(delta)
        return [*events, result]

    def on_file(self, native):
        path = valid(require_text(native, "path"))
        operation = native.get("op") if native.get("op") in ("create", "edit", "delete", "rename") else "edit"
        event = {"type": "file_change", "path": path, "op": operation, "source": "native"}
        own = self.calls.get(native.get("id")) if isinstance(native.get("id"), str) else None
        if operation == "rename":
            event["from"] = valid(require_text(native, "from"))
        if own and self.variant.optional_fields != "none":
            event["toolCallId"] = own
        if path not in self.files:
            self.files.append(path)
        return [event]

    def on_ask(self, native):
        id, own = require_text(native, "id"), self.calls.get(str(native.get("call")))
        approval = self.ids.next("approval")
        self.asks[approval] = {"native": id, "call": own}
        category = native.get("category") if native.get("category") in ("execute", "edit", "read") else "other"
        kinds = ["allow_once", "reject_once"]
        if self.variant.always_options:
            kinds += ["allow_always", "reject_always"]
        options = [{"id": kind, "kind": kind} for kind in kinds]
        event = {"type": "approval_requested", "approvalId": approval, "category": category, "risk": "high",
                 "summary": valid(str(native.get("what", ""))), "options": options}
        if own and self.variant.optional_fields != "none":
            event["toolCallId"] = own
        if self.variant.optional_fields == "all":
            event |= {"deadlineMs": 600_000, "input": valid_value(native.get("args"))}
            options[0]["label"] = "Allow"
        return [*self.close_thinking(), *self.close_message(), event]

    def on_tokens(self, native):
        def count(name):
            value = native.get(name, 0)
            if type(value) is not int or not 0 <= value < 1 << 50:
                raise ValueError(name)
            return value
        counts = [count(name) for name in ("in", "out", "read", "write")]
        cost = native.get("usd")
        cost = cost if isinstance(cost, (int, float)) and not isinstance(cost, bool) and 0 <= cost < 1e9 else None
        self.tokens = {"scope": "run", "cumulative": True, "inputTokens": counts[0], "outputTokens": counts[1],
                       "cacheReadTokens": counts[2], "cacheWriteTokens": counts[3], "totalTokens": sum(counts),
                       "source": "cli"}
        if self.variant.optional_fields == "none":
            self.tokens = {name: value for name, value in self.tokens.items() if value or "cache" not in name}
        if cost is not None:
            self.tokens["costUsd"] = cost
        elif self.variant.optional_fields == "all":
            self.tokens["costUsd"] = None
        if self.variant.optional_fields == "all":
            self.tokens |= {"model": "heron-1", "provider": "example", "serviceTier": "standard"}
        if self.variant.early_usage and not self.has_usage:
            self.has_usage = True
            return [{"type": "usage", **self.tokens}]
        return []

    def on_limit(self, native):
        event = {"type": "rate_limited", "source": "cli"}
        if type(native.get("wait_ms")) is int and native["wait_ms"] >= 0:
            event["retryAfterMs"] = native["wait_ms"]
        return [event]

    def on_retry(self, native):
        number, reason = native["n"], str(native.get("why"))
        if type(number) is not int or number < 1:
            return None
        if reason == "slow_down":  # it would retry without end; waiting is up to the host
            self.fail("slow_down", "the provider limits the rate and heron retries")
        return [{"type": "retry", "attempt": number, "reason": reason}]

    def on_fail(self, native):
        self.fail(require_text(native, "code"), str(native.get("s", "")))
        return []

    def on_end(self, native):
        self.final = ("completed", STOP_REASONS.get(native.get("stop"), "other"))
        return []

    def on_unknown(self, native):
        """A later version of `heron`. The names of fields hold no secrets, values may."""
        name = native["e"] if isinstance(native.get("e"), str) else "(no name)"
        event = self.unmapped.setdefault(name, {"type": "unmapped", "nativeType": valid(name)[:200], "count": 0,
                                                "sample": valid(", ".join(native))[:200]})
        event["count"] += 1
        return [dict(event)] if event["count"] == 1 else []

    def fail(self, code, text):
        kind = FAILURES.get(code, "cli_crashed")
        error = {"type": "error", "kind": kind, "message": valid(self.redact(f"heron failed: {text}")), "fatal": True}
        if kind.startswith("auth_"):
            error["hint"] = "log in with `heron login`"
        if kind == "rate_limited":
            error["retryable"] = True
        self.final = ("failed", error)

    def pieces(self, text):
        self.delta_count += len(text)
        is_short = self.variant.chunks == "all-characters" or self.delta_count <= MAX_SPLIT_CHARACTERS
        if "characters" in self.variant.chunks and is_short and len(text) <= MAX_SPLIT_CHARACTERS:
            return list(text)
        return [text[start:start + DELTA_CHARACTERS] for start in range(0, len(text), DELTA_CHARACTERS)]

    def delta(self, text):
        return {"type": "text_delta", "messageId": self.message, "text": text}

    def open_message(self):
        if self.message is not None:
            return []
        self.message = self.ids.next("message")
        return [{"type": "message_started", "messageId": self.message}]

    def close_message(self):
        if self.message is None:
            return []
        text, id = "".join(self.text), self.message
        events = [self.delta(text[start:start + DELTA_CHARACTERS]) for start in range(0, len(text), DELTA_CHARACTERS)]
        self.message, self.text = None, []
        return [*events, {"type": "message_stopped", "messageId": id}]

    def close_thinking(self):
        if self.thinking is None:
            return []
        id, self.thinking = self.thinking, None
        return [{"type": "thinking_stopped", "thinkingId": id}]

    def close(self, status):
        """What is open at the end of the run."""
        events = [*self.close_thinking(), *self.close_message()]
        for own in self.calls.values():
            events.append({"type": "tool_result", "toolCallId": own, "status": status, "output": None})
        self.calls = {}
        events += [event for event in self.unmapped.values() if event["count"] > 1]
        if self.tokens and not self.has_usage:
            events.append({"type": "usage", **self.tokens})
        return events


def require_text(native, name):
    if not isinstance(native[name], str):
        raise TypeError(name)
    return native[name]


HANDLERS = {name: getattr(Mapper, f"on_{name}") for name in
            "session think think_end say say_end call ret file ask tokens limit retry fail end".split()}
