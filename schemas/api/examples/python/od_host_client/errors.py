"""What can go wrong, as one class to branch on. Where it comes from does not live here."""

import json
from typing import Any, Final

from .types import ERROR_CODES, ErrorData, ErrorKind

CONNECTION_LOST: Final = "_client.connection_lost"
NOT_UNDERSTOOD: Final = "_client.not_understood"


class HostError(Exception):
    """A call that failed: by the host's word, or because the host could not be reached."""

    # What to branch on.
    kind: ErrorKind
    # The JSON-RPC code.
    code: int
    # What was tried, on what, why it failed.
    message: str
    # What to type or change now.
    hint: str | None
    # The same call may succeed later without a change.
    retryable: bool
    # All that the host said.
    data: ErrorData | None

    def __init__(self, error: dict[str, Any]) -> None:
        self.code = error.get("code", ERROR_CODES["internal"])
        self.message = error.get("message", "")
        self.data = error.get("data")
        data = error.get("data") or {}
        self.kind = data.get("kind") or _kind_of(self.code)
        self.hint = data.get("hint")
        self.retryable = data.get("retryable", False)
        super().__init__(f"{self.kind}: {self.message}")


def connection_lost(message: str, hint: str) -> HostError:
    """The host cannot be reached, or the connection to it has ended."""
    data = {"kind": CONNECTION_LOST, "hint": hint, "retryable": True}
    return HostError({"code": 2000, "message": message, "data": data})


def not_understood(message: str) -> HostError:
    """What came is not what the API says."""
    hint = "is the address really that of od-host serve, and of the same major?"
    data = {"kind": NOT_UNDERSTOOD, "hint": hint, "retryable": False}
    return HostError({"code": 2000, "message": message, "data": data})


def error_in_reply(status: int, body: bytes) -> HostError:
    """The error in a reply that is no success, alone or in a JSON-RPC message."""
    try:
        reply = json.loads(body)
    except ValueError:
        reply = None
    if isinstance(reply, dict):
        error = reply.get("error", reply)
        if isinstance(error, dict) and "message" in error:
            return HostError(error)
    return not_understood(f"the answer has status {status} and says no more")


def _kind_of(code: int) -> str:
    known = (kind for kind, known in ERROR_CODES.items() if known == code)
    return next(known, "internal")
