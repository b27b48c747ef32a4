"""The error class of the client."""

import json
from typing import Any, Final

from .types import ERROR_CODES, ErrorData, ErrorKind

CONNECTION_LOST: Final = "_client.connection_lost"
NOT_UNDERSTOOD: Final = "_client.not_understood"


class HostError(Exception):
    """A failed call: the host returned an error, or it could not be reached."""

    # The kind, to branch on.
    kind: ErrorKind
    # The JSON-RPC code.
    code: int
    # What failed, on what and why.
    message: str
    # What to type or change to fix it.
    hint: str | None
    # Whether the same call may succeed later without a change.
    retryable: bool
    # The error data of the host.
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
    """A message does not follow the API."""
    hint = "check that the address belongs to od-host serve with the same API major"
    data = {"kind": NOT_UNDERSTOOD, "hint": hint, "retryable": False}
    return HostError({"code": 2000, "message": message, "data": data})


def error_in_reply(status: int, body: bytes) -> HostError:
    """The error in an unsuccessful HTTP response, alone or in a JSON-RPC message."""
    try:
        reply = json.loads(body)
    except ValueError:
        reply = None
    if isinstance(reply, dict):
        error = reply.get("error", reply)
        if isinstance(error, dict) and "message" in error:
            return HostError(error)
    return not_understood(f"the response has status {status} without an error object")


def _kind_of(code: int) -> str:
    known = (kind for kind, known in ERROR_CODES.items() if known == code)
    return next(known, "internal")
