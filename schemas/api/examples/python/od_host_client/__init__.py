"""A typed client of `od-host serve`, standard library only."""

from .client import Client
from .errors import CONNECTION_LOST, NOT_UNDERSTOOD, HostError
from .over_http import http
from .over_stdio import spawn
from .over_websocket import connect
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
