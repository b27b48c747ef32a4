"""The stdio transport: the host as a child process."""

import subprocess
import threading
from collections.abc import Mapping, Sequence

from .client import Client
from .errors import HostError, connection_lost
from .rpc import RpcClient

# How long the host may take to exit after its stdin is closed, in seconds.
SHUTDOWN_GRACE_SECONDS = 10.0


def spawn(command: Sequence[str], env: Mapping[str, str] | None = None) -> Client:
    """Starts a host, such as `["od-host", "serve", "--stdio"]`, which inherits stderr."""
    return RpcClient(lambda: _Pipe(command, env))


class _Pipe:
    """One message per line; only the byte `\\n` ends a line."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None) -> None:
        self._program = command[0]
        self._sending = threading.Lock()
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
            )
        except OSError as error:
            hint = "is it installed and on PATH?"
            raise connection_lost(f"cannot start {self._program}: {error}", hint) from error

    def send(self, message: str) -> None:
        assert self._process.stdin is not None
        try:
            with self._sending:
                self._process.stdin.write(message.encode() + b"\n")
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise self._exited() from error

    def receive(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.stdout.close()
            raise self._exited()
        return line.decode()

    def close(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass  # The host has already exited.
        try:
            self._process.wait(SHUTDOWN_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _exited(self) -> HostError:
        status = self._process.poll()
        reason = "its output ended" if status is None else f"exit status {status}"
        return connection_lost(f"{self._program} has exited: {reason}", "see its stderr")
