"""Detection: the agent CLI, its version, its login and its models. Read-only."""
import json
import os
import re
import signal
import stat
import subprocess
import time
from contextlib import suppress

from . import processes
from .manifest import VERSION_MIN, VERSION_TESTED, capabilities

PROBE_SECONDS, MAX_PROBE_BYTES = 2.0, 1 << 16
STATIC_MODELS = ["heron-1", "heron-2-mini"]


def find_cli(configured):
    """A configured path is exact: there is no fallback to PATH."""
    if configured:
        return configured if processes.is_executable(configured) else None
    folders = [folder for folder in os.environ.get("PATH", "").split(":") if os.path.isabs(folder)]
    places = [os.path.join(folder, name) for name in ("heron", "heron-cli") for folder in folders]
    return next(filter(processes.is_executable, places), None)


def probe(path, *arguments):
    """Returns what the agent CLI prints, however it behaves."""
    reader, writer = os.pipe()
    mark, output, deadline = os.fstat(writer).st_ino, b"", time.monotonic() + PROBE_SECONDS
    try:
        child = subprocess.Popen([path, *arguments], env=processes.environment(), stdin=subprocess.DEVNULL, cwd="/",
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                                 pass_fds=(writer,))
    except OSError:
        return ""
    finally:
        os.close(reader)
        os.close(writer)
    processes.own_children.add(child.pid)
    os.set_blocking(child.stdout.fileno(), False)
    while time.monotonic() < deadline and len(output) < MAX_PROBE_BYTES:
        with suppress(BlockingIOError):
            if not (chunk := os.read(child.stdout.fileno(), MAX_PROBE_BYTES)):
                break
            output += chunk
            continue
        time.sleep(0.005)
    with suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    processes.kill_tree(child.pid, mark, False)
    child.wait()
    child.stdout.close()
    processes.own_children.discard(child.pid)
    return output.decode("utf-8", "replace")


def read_small(path):
    """Reads a file that may be a pipe, a device or huge, without waiting for it."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("not a regular file")
        return file.read(MAX_PROBE_BYTES)


def numbers(version):
    return ([int(number) for number in version.split(".")] + [0] * 4)[:4]


class Detector:
    def __init__(self, variant, configured):
        self.variant, self.configured, self.versions = variant, configured, {}

    def path(self):
        return find_cli(self.configured)

    def version(self, path, refresh):
        try:
            status = os.stat(path)
        except OSError:
            return None
        key = (path, status.st_ino, status.st_size, status.st_mtime_ns)
        if refresh or key not in self.versions:
            found = re.search(r"\d{1,9}(\.\d{1,9})+", probe(path, "--version"))
            if not found:
                return None
            self.versions[key] = found[0]
        return self.versions[key]

    def detect(self, refresh):
        path = self.path()
        version = self.version(path, refresh) if path else None
        result = {"installed": path is not None, "auth": self.auth(), "capabilities": capabilities(self.variant)}
        if path:
            result["path"] = path
        if version:
            result |= {"version": version, "meetsMin": numbers(version) >= numbers(VERSION_MIN)}
        if self.variant.optional_fields == "none":
            return result
        if version:
            order = (numbers(version) > numbers(VERSION_TESTED)) - (numbers(version) < numbers(VERSION_TESTED))
            result["testedVersion"] = ["same", "newer", "older"][order]
        subject = self.configured or "PATH"
        result["evidence"] = [{"signal": "path", "subject": subject, "found": path is not None}]
        if self.variant.optional_fields == "all":
            result |= {"guidance": "npm install --global heron", "configDir": None, "skillsDir": None}
            result["evidence"][0]["detail"] = "inspected first"
        return result

    def auth(self):
        if os.environ.get("HERON_API_KEY"):
            return self.with_credential("ok", "api_key", "HERON_API_KEY")
        try:
            login = json.loads(read_small(os.path.join(os.environ.get("HOME", "/"), ".heron/login.json")))
            is_expired = login["expiresAt"] <= time.time() * 1000
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {"state": "missing", "guidance": "heron login"}
        return self.with_credential("expired" if is_expired else "ok", "subscription", "~/.heron/login.json")

    def with_credential(self, state, kind, name):
        if self.variant.optional_fields == "none":
            return {"state": state}
        return {"state": state, "method": "oauth" if kind == "subscription" else kind,
                "credential": {"kind": kind, "name": name}}

    def models(self):
        ids, source, path = STATIC_MODELS, "static", self.path()
        if path and not self.variant.static_models:
            with suppress(ValueError, KeyError, TypeError):
                listed = [entry["id"] for entry in json.loads(probe(path, "models"))["models"]]
                listed = [id for id in dict.fromkeys(listed) if isinstance(id, str) and id.strip()]
                ids, source = (listed, "live") if listed else (ids, source)
        models = [{"id": id} for id in ids]
        if self.variant.optional_fields == "all":
            models = [{"id": id, "name": id.title(), "default": id == ids[0], "contextWindow": 200_000} for id in ids]
            return {"models": models, "source": source, "current": ids[0]}
        return {"models": models, "source": source}
