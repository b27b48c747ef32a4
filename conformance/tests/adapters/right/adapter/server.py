"""The methods of the protocol. Each request has a thread of its own, so responses arrive in any order."""
import json
import os
import re
import select
import signal
import sys
import threading
import time

from . import processes
from .detection import Detector
from .manifest import EFFORTS, MODES, capabilities, manifest
from .run import DEFAULT_GRACE_MS, Run
from .wire import MAX_LINE_BYTES, Lines, Wire, parse_host, written_id

CODES = {"parse_error": -32700, "invalid_request": -32600, "method_not_found": -32601, "invalid_params": -32602,
         "unsupported_protocol": 1001, "not_initialized": 1002, "already_initialized": 1003, "shutting_down": 1004,
         "capability_unsupported": 1005, "config_invalid": 1006, "cli_not_found": 1010, "cli_spawn_failed": 1012,
         "model_unknown": 1033, "run_unknown": 1040, "run_id_in_use": 1041, "too_many_runs": 1042,
         "session_unknown": 1043, "approval_unknown": 1045}
# Codes that say everything, so that `data` may be absent.
SUFFICIENT_CODES = {-32700, -32600, -32601, -32602, 1002, 1003, 1004, 1041, 1042, 1045, 1040}
METHOD_GATES = {"models/list": "models", "quota/get": "quota", "sessions/list": "sessions", "sessions/read": "sessions",
                "run/input": "input", "run/respond": "approvals"}
# Options of `run/start`: the capability, the type, and the name in the first line for heron.
OPTIONS = {"model": ("models", str, None), "effort": ("effort", str, "effort"), "policy": ("policy", dict, None),
           "thinkingBudgetTokens": ("thinkingBudget", int, "budget"), "skills": ("skills", list, "skills"),
           "addDirs": ("addDirs", list, "dirs"), "allowedTools": ("toolLists", list, "tools"),
           "deniedTools": ("toolLists", list, "no_tools"), "permissionMode": ("permissionModes", str, "mode"),
           "mcpServers": ("mcpServers", list, "servers"), "outputSchema": ("outputSchema", dict, "schema"),
           "maxTurns": ("maxTurns", int, "max_turns"), "system": ("systemPrompt", str, "system"),
           "attachments": ("attachments", list, "files"), "images": ("images", list, "images"),
           "adapterOptions": ("adapterOptions", dict, None)}
MODEL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+~\[\]-]{0,199}")


class Refusal(Exception):
    def __init__(self, kind, message, **data):
        super().__init__(message)
        self.kind, self.message, self.data = kind, message, data


def require(condition, kind, message, **data):
    if not condition:
        raise Refusal(kind, message, **data)


def member(params, name, expected, default=None):
    value = default if params.get(name) is None else params[name]
    require(type(value) is expected, "invalid_params", f"{name} is missing or has the wrong type")
    return value


class Server:
    def __init__(self, variant):
        self.variant, self.capabilities = variant, capabilities(variant)
        self.wire = Wire(variant, self.exit)
        self.lock, self.runs, self.is_initialized, self.is_shutting_down = threading.Lock(), {}, False, False
        self.detector, self.host_approves, self.max_line_bytes = None, False, MAX_LINE_BYTES
        self.has_exited = threading.Lock()

    def serve(self):
        signal.signal(signal.SIGTERM, lambda *_: self.exit())
        threading.Thread(target=self.watch, args=(1, 0), daemon=True).start()
        lines = Lines()
        while chunk := os.read(0, 1 << 16):
            for line in lines.split(chunk):
                if line is None or line.strip():
                    self.on_line(line)
        self.exit()

    def watch(self, file, events):
        """Waits until stdout is broken, or the host has exited."""
        poller = select.poll()
        poller.register(file, events)
        poller.poll()
        self.exit()

    def exit(self):
        """Kills every run, without a grace period."""
        if self.has_exited.acquire(blocking=False):
            for run in list(self.runs.values()):
                processes.kill_tree(run.child.pid, run.mark, False)
            processes.own_children.clear()
            processes.kill_tree(0, 0, True)
            self.wire.finish()
            os._exit(0)
        threading.Event().wait()  # another thread ends this process

    def forget(self, run):
        with self.lock:
            self.runs.pop(run.id, None)

    def on_line(self, line):
        try:
            require(line is not None, "parse_error", "the line is too long")
            try:
                message = parse_host(line)
            except (ValueError, RecursionError):
                raise Refusal("parse_error", "the line is not JSON") from None
            is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
            if is_message and "method" not in message and ("result" in message or "error" in message):
                return  # a response without a request
            id = message.get("id", "") if is_message else None
            is_id = isinstance(id, (str, int, float)) and not isinstance(id, bool)
            require(is_message and is_id and isinstance(message.get("method"), str), "invalid_request", "not a request")
        except Refusal as refusal:
            return self.refuse("null", refusal)
        if "id" in message:
            method, params = message["method"], message.get("params")
            arguments = (written_id(id), method, {} if params is None else params)
            threading.Thread(target=self.answer, args=arguments, daemon=True).start()

    def refuse(self, id, refusal):
        code = CODES[refusal.kind]
        error = {"code": code, "message": refusal.message}
        if self.variant.error_data != "none" or code not in SUFFICIENT_CODES:
            error["data"] = {"kind": refusal.kind, **refusal.data}
        if self.variant.error_data == "all":
            error["data"] |= {"details": {"example": True}, "retryable": False}
            error["data"].setdefault("hint", "read the specification")
        self.wire.respond(id, "error", error)

    def answer(self, id, method, params):
        follow_up = None
        try:
            result = self.call(method, params)
            if isinstance(result, tuple):
                result, follow_up = result
            time.sleep(self.variant.response_delay_ms / 1000)
            if self.variant.unknown_events and self.wire.count % 3 == 0 and self.wire.count:
                self.wire.notify("_example/log", {"text": "a message of a vendor"})
            if self.variant.stderr:
                print(f"debug: answered {method[:40]}\nwarning: this is only an example", file=sys.stderr, flush=True)
            self.wire.respond(id, "result", result)
        except Refusal as refusal:
            time.sleep(self.variant.response_delay_ms / 1000)
            self.refuse(id, refusal)
        except (ValueError, OverflowError) as error:
            self.refuse(id, Refusal("invalid_params", f"a value cannot be used: {type(error).__name__}"))
        if follow_up:
            follow_up()

    def call(self, method, params):
        require(self.is_initialized or method in ("initialize", "ping"), "not_initialized", "initialize is missing")
        require(not self.is_shutting_down or method == "ping", "shutting_down", "the adapter is shutting down")
        which = METHOD_GATES.get(method)
        require(not which or which in self.capabilities, "capability_unsupported", f"no {which}", which=which)
        handler = getattr(self, "on_" + method.replace("/", "_"), None) if method in METHODS else None
        require(handler, "method_not_found", f"there is no method {method[:60]}")
        require(isinstance(params, dict), "invalid_params", "params is not an object")
        return handler(params)

    def on_ping(self, params):
        return {}

    def on_initialize(self, params):
        protocol = member(params, "protocol", dict)
        lowest, highest = member(protocol, "min", int), member(protocol, "max", int)
        config, limits = member(params, "config", dict, {}), member(params, "limits", dict, {})
        host_pid, approvals = member(params, "hostPid", int, 0), member(params, "capabilities", dict, {})
        configured, largest = member(config, "cliPath", str, ""), member(limits, "maxLineBytes", int, MAX_LINE_BYTES)
        with self.lock:
            require(not self.is_initialized, "already_initialized", "initialize was called before")
            side = "this adapter" if lowest > 1 else "the host"
            require(lowest <= 1 <= highest, "unsupported_protocol", f"no common major: upgrade {side}",
                    supported={"min": 1, "max": 1})
            self.detector, self.max_line_bytes = Detector(self.variant, configured), min(largest, MAX_LINE_BYTES)
            self.host_approves, self.is_initialized = approvals.get("approvals") is not None, True
        if host_pid > 0:
            try:
                host = os.pidfd_open(host_pid)
            except ProcessLookupError:
                self.exit()
            threading.Thread(target=self.watch, args=(host, select.POLLIN), daemon=True).start()
        document = manifest(self.variant)
        identity = {name: document[key] for name, key in (("id", "adapterId"), ("version", "version"), ("vendor", "vendor"))}
        result = {"protocol": 1, "adapter": identity, "capabilities": self.capabilities}
        return {**result, "revision": "2026-11-16"} if self.variant.optional_fields == "all" else result

    def on_adapter_health(self, params):
        is_found = self.detector.path() is not None
        health = {"status": "ok" if is_found else "unavailable", "message": f"heron is {'' if is_found else 'not '}there"}
        return {**health, "details": {"runs": len(self.runs)}} if self.variant.optional_fields == "all" else health

    def on_adapter_detect(self, params):
        return self.detector.detect(member(params, "refresh", bool, False))

    def on_models_list(self, params):
        return self.detector.models()

    def on_run_start(self, params):
        """Refuses what cannot work before a process starts."""
        run_id, cwd, prompt = member(params, "runId", str), member(params, "cwd", str), member(params, "prompt", dict)
        member(prompt, "text", str)
        require(run_id, "invalid_params", "runId is empty")
        for name in (limits := member(params, "timeouts", dict, {})):
            member(limits, name, int, 0)
        for name in (variables := member(params, "env", dict, {})):
            member(variables, name, str)
        arguments, first_line = self.invocation(params, prompt)
        require(os.path.isabs(cwd) and os.path.isdir(cwd), "config_invalid", "cwd is not the absolute path of a folder")
        require(prompt["text"].strip() or prompt.get("images"), "config_invalid", "the prompt is empty")
        path = self.detector.path()
        require(path, "cli_not_found", "heron is not installed", hint="npm install --global heron")
        with self.lock:
            require(run_id not in self.runs, "run_id_in_use", "the run is active")
            require(len(self.runs) < self.variant.max_runs, "too_many_runs", "wait for a run to end")
            try:
                trace_path = member(params, "tracePath", str, "")
                trace = open(trace_path, "ab", buffering=0) if trace_path else None
            except OSError as error:
                raise Refusal("config_invalid", f"tracePath: {error.strerror}") from None
            try:
                run = Run(self, params, path, arguments, first_line, trace)
            except OSError as error:
                raise Refusal("cli_spawn_failed", f"heron did not start: {error.strerror}", hint="install it again") from None
            self.runs[run_id] = run
        return {"runId": run_id}, run.start

    def invocation(self, params, prompt):
        """Returns the arguments and the first line for heron."""
        options, line = {**prompt, **params}, {"do": "prompt", "text": prompt["text"]}
        for name, (which, expected, native_name) in OPTIONS.items():
            value = options.get(name)
            if value is None or value in ([], {}):
                continue
            require(which in self.capabilities, "capability_unsupported", f"no {which}", which=which)
            require(type(value) is expected, "invalid_params", f"{name} has the wrong type")
            if native_name:
                line[native_name] = value
        mode = options.get("permissionMode")
        require(mode is None or mode in MODES, "config_invalid", f"the modes are {', '.join(MODES)}")
        effort = options.get("effort")
        require(effort is None or effort in EFFORTS, "capability_unsupported", "no such effort", which="effort")
        arguments = ["serve"]
        if (model := options.get("model")) is not None:
            require(MODEL_ID.fullmatch(model), "model_unknown", "this is not a model id")
            arguments += ["--model", model]
        line |= self.policy(member(params, "policy", dict, {}))
        return arguments + self.session(member(params, "session", dict, {})), json.dumps(line).encode() + b"\n"

    def policy(self, policy):
        denied = member(policy, "shellDeny", list, [])
        allowed = [prefix for prefix in member(policy, "shellAllow", list, []) if prefix not in denied]
        line = {"deny": denied, "allow": allowed, "ask": member(policy, "ask", list, [])}
        line = {name: value for name, value in line.items() if value}
        return {**line, "offline": True} if policy.get("network") not in (None, "default", "full") else line

    def session(self, session):
        mode, id = session.get("mode"), session.get("id")
        if mode not in ("resume", "fork"):
            return []
        require(mode in self.capabilities, "capability_unsupported", f"no {mode}", which=mode)
        require(isinstance(id, str) and id, "config_invalid", f"{mode} needs the id of a session")
        require(not id.startswith("-") and "\0" not in id, "session_unknown", "this is not a session id")
        return [f"--{mode}", id]

    def on_run_cancel(self, params):
        run, grace_ms = self.runs.get(member(params, "runId", str)), member(params, "graceMs", int, DEFAULT_GRACE_MS)
        return {"accepted": run is not None and run.stop("cancel", grace_ms)}

    def on_run_input(self, params):
        run, text = self.runs.get(member(params, "runId", str)), member(params, "text", str)
        require(run, "run_unknown", "there is no such run")
        return {"outcome": run.input(text, params.get("expectedTurn"))}

    def on_run_respond(self, params):
        run, id = self.runs.get(member(params, "runId", str)), member(params, "approvalId", str)
        outcome, by, new_input = member(params, "outcome", str), params.get("by") or "user", params.get("updatedInput")
        require(run and id in run.mapper.asks, "approval_unknown", "there is no such open approval")
        can_edit = self.variant.edit_input or new_input is None
        require(can_edit, "capability_unsupported", "no editInput", which="approvals.editInput")
        offered = ["allow_once", "reject_once", *(["allow_always", "reject_always"] if self.variant.always_options else [])]
        if outcome not in offered:
            outcome = "allow_once" if outcome == "allow_always" else "reject_once"
        by = by if by in ("user", "policy", "timeout", "cancel") else "policy"
        require(run.resolve(id, outcome, by, new_input), "approval_unknown", "the approval is resolved")
        return {}

    def on_shutdown(self, params):
        grace_ms, self.is_shutting_down = member(params, "graceMs", int, DEFAULT_GRACE_MS), True
        runs = list(self.runs.values())
        for run in runs:
            run.stop("cancel", grace_ms)
        for run in runs:
            run.is_reported.wait()
        return {}


METHODS = {"ping", "initialize", "adapter/health", "adapter/detect", "models/list", "run/start", "run/cancel", "run/input",
           "run/respond", "shutdown"}
