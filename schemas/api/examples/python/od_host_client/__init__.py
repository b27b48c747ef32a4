"""A typed client of `od-host serve`, standard library only."""

from .client import Client
from .errors import CONNECTION_LOST, NOT_UNDERSTOOD, HostError
from .http_client import http
from .stdio_client import spawn
from .websocket_client import connect
from .token import read_token

__all__ = [
    "CONNECTION_LOST",
    "NOT_UNDERSTOOD",
    "Client",
    "HostError",
    "connect",
    "http",
    "read_token",
    "spawn",
]
