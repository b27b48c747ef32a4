"""One run: a process of `heron`, its events, its approvals, its end. Each run has threads of its own."""
import json
import os
import queue
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress

from . import processes
from .mapper import Mapper
from .wire import Lines, fitting, parse_native

DEFAULT_GRACE_MS, KILL_SECONDS, LINGER_SECONDS, TICK_MS, READ_BYTES = 2000, 1.0, 2.0, 50, 1 << 16
PAYLOADS = {"text_delta": "text", "thinking_delta": "text", "tool_input_delta": "text", "tool_output_delta": "text",
            "tool_call_ready": "input", "tool_result": "output"}


class Run:
    def __init__(self, adapter, params, path, arguments, first_line, trace):
        self.adapter, self.variant, self.id = adapter, adapter.variant, params["runId"]
        self.limits, self.path, self.arguments, self.trace = params.get("timeouts") or {}, path, arguments, trace
        session = {"mode": "new", **(params.get("session") or {})}
        session["mode"] = session["mode"] if session["mode"] in ("resume", "fork") else "new"
        self.variables = params.get("env") or {}
        self.mapper = Mapper(self.variant, session, params["cwd"], self.redact)
        self.lock, self.seq = threading.RLock(), 0
        self.is_done, self.is_reported = threading.Event(), threading.Event()
        self.stop_lock, self.stop_reason, self.turn, self.options = threading.Lock(), None, None, params
        self.started_at = self.last_output_at = self.last_beat_at = time.monotonic()
        self.has_output, self.final_at, self.closed_at, self.ts = False, None, None, 0
        self.stdin = queue.Queue()
        self.stdin.put(first_line)
        reader, writer = os.pipe()
        self.mark = os.fstat(writer).st_ino
        try:
            self.child = subprocess.Popen(
                [path, *arguments], cwd=params["cwd"], env=processes.environment(self.variables), start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, pass_fds=(writer,))
        finally:
            os.close(reader)
            os.close(writer)
        processes.own_children.add(self.child.pid)

    def start(self):
        started = {"type": "run_started"}
        if self.variant.optional_fields != "none":
            started |= {"cliPath": self.path, "pid": self.child.pid}
        if self.variant.optional_fields == "all":
            started |= {"argv": self.arguments, "cliVersion": None, "credential": None, "testedVersion": None,
                        "permissionMode": self.options.get("permissionMode")}
        self.emit(started, pads=True)
        if self.variant.extra_events:
            self.turn = self.mapper.ids.next("turn")
            self.emit({"type": "turn_started", "turnId": self.turn})
            self.emit({"type": "status", "phase": "requesting", "detail": "asks the model"})
            self.emit({"type": "notice", "level": "info", "code": "example", "text": "this is an example"})
            self.emit({"type": "plan", "entries": [{"content": "answer", "status": "in_progress"}]})
            self.emit({"type": "context", "usedTokens": 12, "maxTokens": 200_000})
            self.emit({"type": "mode_changed", "model": "heron-1"})
        if self.variant.unknown_events:
            self.emit({"type": "_example_progress", "depth": 3})
        threading.Thread(target=self.feed, daemon=True).start()
        threading.Thread(target=self.follow, daemon=True).start()

    def redact(self, text):
        for secret in {self.variables.get("HERON_API_KEY"), os.environ.get("HERON_API_KEY")} - {None, ""}:
            text = text.replace(secret, "***")
        return text

    def emit(self, event, pads=False):
        """Splits a text, and shortens another payload, that is too long for the host."""
        with self.lock:
            name, limit = PAYLOADS.get(event["type"]), self.adapter.max_line_bytes
            payload = event.get(name)
            if name is None or isinstance(payload, str) and len(payload) < limit // 20:
                return self.send(event, pads)
            if len(self.adapter.wire.notification("run/event", self.envelope(event))) <= limit:
                return self.send(event, pads)
            text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
            overhead = len(self.adapter.wire.notification("run/event", self.envelope({**event, name: ""}))) + 100
            if name == "text":
                while text:
                    piece = fitting(text, limit - overhead)
                    self.send({**event, name: piece})
                    text = text[len(piece):]
                return None
            kept = fitting(text, limit - overhead)
            self.send({**event, name: kept, "truncated": {"bytes": len(text.encode()) - len(kept.encode())}})

    def envelope(self, event):
        now = int(time.time() * 1000)
        if now - self.ts >= self.variant.clock_step_ms or now < self.ts:
            self.ts = now
        return {"runId": self.id, "seq": self.seq, "ts": self.ts, "event": event}

    def send(self, event, pads=False):
        envelope = self.envelope(event)
        room = min(self.variant.padding_bytes, self.adapter.max_line_bytes // 2)
        if pads and room:
            envelope["_meta"] = {"_example/padding": "p" * room}
        self.adapter.wire.notify("run/event", envelope)
        self.seq += 1
        self.last_beat_at = time.monotonic()

    def feed(self):
        """Writes to the stdin of the agent CLI, which may not read."""
        with suppress(OSError):
            while (line := self.stdin.get()) is not None:
                self.child.stdin.write(line)
                self.child.stdin.flush()
        with suppress(OSError):
            self.child.stdin.close()

    def follow(self):
        lines, stdout, exit = Lines(), self.child.stdout.fileno(), os.pidfd_open(self.child.pid)
        while not (self.closed_at and self.child.poll() is not None):
            poller = select.poll()
            poller.register(exit if self.closed_at else stdout, select.POLLIN)
            if poller.poll(TICK_MS) and not self.closed_at:
                self.on_output(lines, os.read(stdout, READ_BYTES))
            self.tick(time.monotonic())
        os.close(exit)
        self.finish()

    def on_output(self, lines, chunk):
        now = time.monotonic()
        if self.trace:
            self.trace.write(chunk)
        if chunk:
            self.last_output_at, self.has_output = now, True
        else:
            self.closed_at = now
        for line in lines.split(chunk or b"\n"):
            try:
                native = parse_native(line or b"")
            except (ValueError, RecursionError):
                continue  # noise
            with self.lock:
                for event in self.mapper.on_line(native):
                    self.emit(event)
                    if event["type"] == "approval_requested":
                        self.on_approval(event["approvalId"], event.get("deadlineMs"))
            if self.mapper.final and not self.final_at:
                self.final_at = now
                self.stdin.put(None)

    def on_approval(self, id, deadline_ms):
        if not self.adapter.host_approves:
            self.resolve(id, "reject_once", "policy")
        elif deadline_ms:
            timer = threading.Timer(deadline_ms / 1000, self.resolve, (id, "reject_once", "timeout"))
            timer.daemon = True
            timer.start()

    def resolve(self, id, outcome, by, new_input=None):
        """Returns whether the approval was open."""
        with self.lock:
            ask = self.mapper.asks.pop(id, None)
            if ask is None:
                return False
            answer = {"do": "decide", "id": ask["native"], "allow": outcome.startswith("allow")}
            if new_input is not None:
                answer["args"] = new_input
            if not answer["allow"] and ask["call"]:
                self.mapper.denied.add(ask["call"])
            if by != "cancel":
                self.stdin.put(json.dumps(answer).encode() + b"\n")
            self.emit({"type": "approval_resolved", "approvalId": id, "outcome": outcome, "by": by})
            self.last_output_at = time.monotonic()
            return True

    def input(self, text, expected_turn):
        with self.lock:
            is_over = self.mapper.final or self.stop_reason or self.closed_at
            if is_over or (expected_turn is not None and expected_turn != self.turn):
                return "refused"
            self.stdin.put(json.dumps({"do": "more", "text": text}).encode() + b"\n")
            return "steered" if self.variant.steer else "queued"

    def tick(self, now):
        if self.mapper.asks:
            self.last_output_at = now  # an open approval pauses the idle limit
        since = {"start": None if self.has_output else self.started_at, "idle": self.last_output_at,
                 "total": self.started_at}
        for which, began_at in since.items():
            limit = self.limits.get(f"{which}Ms")
            if limit and began_at is not None and not self.final_at and now - began_at > limit / 1000:
                self.stop(which, DEFAULT_GRACE_MS)
        if now - self.last_beat_at > self.variant.heartbeat_ms / 1000:
            self.emit({"type": "heartbeat", "silentMs": int((now - self.last_output_at) * 1000)})
        is_failed = self.mapper.final and self.mapper.final[0] == "failed"
        lingers = self.final_at and now - self.final_at > (0.5 if is_failed else LINGER_SECONDS)
        if lingers or self.child.poll() is not None or (self.closed_at and now - self.closed_at > LINGER_SECONDS):
            self.kill()

    def stop(self, reason, grace_ms):
        """Returns whether the run can still be stopped. A second call can only shorten the time."""
        with self.stop_lock:
            if self.is_done.is_set():
                return False
            if not self.stop_reason:
                self.stop_reason = reason
                self.signal(signal.SIGINT)
        for seconds, action in ((grace_ms / 1000, lambda: self.signal(signal.SIGTERM)),
                                (grace_ms / 1000 + KILL_SECONDS, self.kill)):
            timer = threading.Timer(seconds, action)
            timer.daemon = True
            timer.start()
        return True

    def signal(self, number):
        if self.child.returncode is None:
            with suppress(OSError):
                os.killpg(self.child.pid, number)

    def kill(self):
        if not self.is_done.is_set():
            processes.kill_tree(self.child.pid, self.mark, len(self.adapter.runs) <= 1)

    def finish(self):
        self.kill()
        self.stdin.put(None)
        code = self.child.wait()
        was_cancelled = self.stop_reason == "cancel"
        with self.lock:
            for id in list(self.mapper.asks):
                self.resolve(id, "reject_once", "cancel")
            for event in self.mapper.close("cancelled" if was_cancelled else "unknown"):
                self.emit(event)
            self.end(code)
        self.child.stdout.close()
        if self.trace:
            self.trace.close()
        processes.own_children.discard(self.child.pid)

    def end(self, code):
        status, reason, evidence, error = self.outcome(code)
        if error:
            if self.variant.optional_fields == "all":
                error.setdefault("hint", "run heron in a terminal")
                error.setdefault("retryable", False)
            self.emit(error)
        if self.turn:
            self.emit({"type": "turn_ended", "turnId": self.turn, "stopReason": reason})
        done = {"type": "done", "status": status, "stopReason": reason, "evidence": evidence, "totals": self.totals(),
                "durationMs": int((time.monotonic() - self.started_at) * 1000)}
        if error:
            done["errorKind"] = error["kind"]
        if self.mapper.session_id is not None:
            done["sessionId"] = self.mapper.session_id
        if self.variant.optional_fields != "none":
            done |= {"exitCode": code} if code >= 0 else {"signal": -code}
        with self.stop_lock:
            self.adapter.forget(self)
            self.is_done.set()
        self.emit(done, pads=True)
        self.is_reported.set()

    def outcome(self, code):
        """Returns status, stop reason, evidence and the fatal error of the run."""
        final, variant = self.mapper.final, self.variant
        if self.stop_reason == "cancel":
            evidence = "native_result" if final else "signal" if code < 0 else "exit_code"
            return "cancelled", "cancelled", variant.stop_evidence or evidence, None
        if self.stop_reason:
            error = {"type": "error", "kind": "timeout", "message": f"heron reached the limit {self.stop_reason}",
                     "fatal": True, "data": {"which": self.stop_reason}}
            return "timed_out", "cancelled" if variant.fail_stop_reason == "error" else "error", "watchdog", error
        if final and final[0] == "completed":
            return "completed", final[1], variant.evidence, None
        if final:
            return "failed", variant.fail_stop_reason, "native_result", final[1]
        how = f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"
        error = {"type": "error", "kind": "cli_crashed", "fatal": True, "message": f"heron {how} without a result"}
        return "failed", variant.fail_stop_reason, "signal" if code < 0 else "exit_code", error

    def totals(self):
        tokens, files = self.mapper.tokens, self.mapper.files
        totals = {**self.mapper.totals, "filesChanged": len(files)}
        if self.variant.optional_fields == "none":
            totals = {name: value for name, value in totals.items() if value}
        if tokens and tokens.get("costUsd") is not None:
            totals["costUsd"] = tokens["costUsd"]
        if self.variant.optional_fields == "all" and tokens:
            totals["usage"] = tokens
        return totals
