"""Processes: the environment of the agent CLI, its whole tree, and its end."""
import ctypes
import os
import signal
import time
from contextlib import suppress

PR_SET_CHILD_SUBREAPER = 36
PASSED_VARIABLES = set("""PATH HOME USER LOGNAME SHELL LANG TZ TMPDIR HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy
    https_proxy no_proxy all_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SYSTEMROOT
    SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA
    PROGRAMFILES HERON_API_KEY""".split())
own_children = set()  # processes that a `Popen` of this adapter waits for


def become_subreaper():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def environment(variables=None):
    passed = {name: value for name, value in os.environ.items()
              if name in PASSED_VARIABLES or name.startswith(("LC_", "XDG_"))}
    return {**passed, "TERM": "dumb", "NO_COLOR": "1", **(variables or {})}


def is_executable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def parents():
    """Returns the parent of every process that is alive."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            state, parent = file.read().rpartition(b")")[2].split()[:2]
            if state not in b"ZX":
                found[int(name)] = int(parent)
    return found


def has_mark(pid, mark):
    with suppress(OSError):
        return any(os.stat(f"/proc/{pid}/fd/{name}").st_ino == mark for name in os.listdir(f"/proc/{pid}/fd"))
    return False


def kill_tree(root, mark, is_alone):
    """Kills a process, its descendants, and those that have left them: they hold the pipe `mark`. Orphans are children of
    this adapter; they belong to the run if there is no other run."""
    while True:
        alive = parents()
        found = {pid for pid in alive if pid != os.getpid() and (pid == root or has_mark(pid, mark))}
        if is_alone:
            found |= {pid for pid, parent in alive.items() if parent == os.getpid() and pid not in own_children}
        while more := {pid for pid, parent in alive.items() if parent in found} - found:
            found |= more
        if not found:
            return reap_orphans()
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        reap_orphans()
        time.sleep(0.005)


def reap_orphans():
    for task in os.listdir("/proc/self/task"):
        with suppress(OSError), open(f"/proc/self/task/{task}/children") as file:
            for pid in {*map(int, file.read().split())} - own_children:
                os.waitpid(pid, os.WNOHANG)
