"""Lines: the form of what is written, and the splitting of what is read."""
import json
import os
import re
import select
import threading
import time

MAX_LINE_BYTES = 16 << 20
MAX_ESCAPED_CHARACTERS = 1 << 20
STRINGS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
# Data of the agent CLI or of the manifest: nothing may be added to it.
FOREIGN = {"input", "output", "capabilities", "schema", "diff", "details"}


def finite(text):
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is not finite")
    return number


def refuse(text):
    raise ValueError(f"{text} is not JSON")


class WrittenNumber(float):
    """A number of the host that keeps its text, because an id is repeated as it was written."""
    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.text = text
        return number


def parse_native(line):
    return json.loads(line.decode("utf-8", "replace"), parse_float=finite, parse_constant=refuse)


def parse_host(line):
    return json.loads(line.decode(), parse_float=WrittenNumber, parse_constant=refuse)


def written_id(value):
    return value.text if isinstance(value, WrittenNumber) else json.dumps(value)


def valid(text):
    """Replaces half characters, which an escape can contain."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def valid_value(value):
    if isinstance(value, str):
        return valid(value)
    if isinstance(value, list):
        return [valid_value(entry) for entry in value]
    if isinstance(value, dict):
        return {valid(name): valid_value(member) for name, member in value.items()}
    return value


class Lines:
    """Splits bytes into lines. A line above the limit becomes None and is not stored."""
    def __init__(self):
        self.buffer, self.size = [], 0

    def split(self, chunk):
        first, *others = chunk.split(b"\n")
        self.add(first)
        for part in others:
            line = b"".join(self.buffer) if self.size <= MAX_LINE_BYTES else None
            self.buffer, self.size = [], 0
            self.add(part)
            yield line

    def add(self, part):
        self.size += len(part)
        if self.size <= MAX_LINE_BYTES:
            self.buffer.append(part)
        else:
            self.buffer.clear()


class Wire:
    """Writes messages to the host, in the form of the variant. Any thread may call it."""
    def __init__(self, variant, on_broken):
        self.variant, self.on_broken = variant, on_broken
        self.lock, self.pending, self.count = threading.Lock(), [], 0
        if variant.batch_ms:
            threading.Thread(target=self.flush_regularly, daemon=True).start()
        if variant.busy_share:
            threading.Thread(target=self.be_busy, daemon=True).start()

    def notify(self, method, params):
        self.write(self.notification(method, params))

    def notification(self, method, params):
        members = [("method", self.dump(method)), ("params", self.dump(self.grown(params)))]
        return self.render([("jsonrpc", '"2.0"'), *members])

    def respond(self, id, name, value):
        self.write(self.render([("jsonrpc", '"2.0"'), ("id", id), (name, self.dump(self.grown(value)))]))

    def render(self, members):
        if self.variant.unknown_fields:
            members.append(("ofTomorrow", "[{}]"))
        if self.variant.key_order == "reversed":
            members.reverse()
        comma, colon = (" , ", " : ") if self.variant.spaces else (",", ":")
        text = comma.join(f'"{name}"{colon}{value}' for name, value in members)
        return ("{" + text + "}" + self.variant.line_end).encode()

    def grown(self, value):
        """Adds vendor data and fields of a later version."""
        if self.variant.meta and isinstance(value, dict):
            value = {**value, "_meta": {"_example/trace": [1, None, "é"]}}
        return with_unknown_fields(value) if self.variant.unknown_fields else value

    def dump(self, value):
        if self.variant.key_order == "reversed":
            value = with_reversed_keys(value)
        separators = (" , ", " : ") if self.variant.spaces else (",", ":")
        text = json.dumps(value, ensure_ascii=self.variant.escapes is not None, separators=separators,
                          sort_keys=self.variant.key_order == "sorted")
        return with_escapes(text) if self.variant.escapes == "all" else text

    def write(self, line):
        with self.lock:
            self.count += 1
            self.pending.append(line)
            if not self.variant.batch_ms:
                self.flush()

    def flush(self):
        bytes_left = memoryview(b"".join(self.pending))
        self.pending = []
        try:
            while bytes_left:
                bytes_left = bytes_left[os.write(1, bytes_left):]
        except OSError:
            self.on_broken()

    def flush_regularly(self):
        while True:
            time.sleep(self.variant.batch_ms / 1000)
            with self.lock:
                self.flush()

    def finish(self):
        """Writes what is pending, if the host still reads."""
        poller = select.poll()
        poller.register(1, select.POLLOUT)
        self.on_broken = lambda: None
        if self.lock.acquire(timeout=1) and self.pending and poller.poll(500):
            self.flush()

    def be_busy(self):
        """Takes the time of this process, like other processes on a slow machine."""
        period = 0.2
        while True:
            with self.lock:
                time.sleep(period * self.variant.busy_share)
            time.sleep(period * (1 - self.variant.busy_share))


def with_unknown_fields(value):
    if isinstance(value, list):
        return [with_unknown_fields(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    grown = {name: member if name in FOREIGN else with_unknown_fields(member) for name, member in value.items()}
    return {"ofTomorrow": {"deep": [None, 1.5, {}]}, **grown}


def with_reversed_keys(value):
    if isinstance(value, list):
        return [with_reversed_keys(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {name: with_reversed_keys(value[name]) for name in reversed(value)}


def with_escapes(text):
    r"""Writes "e" and "/" inside texts as \u0065 and \/, which means the same."""
    def escaped(match):
        return match[0] if "\\" in match[0] else match[0].replace("/", "\\/").replace("e", "\\u0065")
    return STRINGS.sub(escaped, text) if len(text) < MAX_ESCAPED_CHARACTERS else text


def fitting(text, max_bytes):
    """Returns the longest beginning of a text whose JSON, all of it escaped, surely fits."""
    end = max(1, max_bytes // 12)
    return text[:end]
