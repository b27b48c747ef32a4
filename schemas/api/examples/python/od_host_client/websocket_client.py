"""The WebSocket transport."""

from urllib.parse import urlsplit

from .client import Client
from .rpc import RpcClient
from .websocket import WebSocket


def connect(url: str, token: str) -> Client:
    """Connects to the address that `od-host serve` prints, such as `http://127.0.0.1:7456`."""
    address = urlsplit(url)
    return RpcClient(lambda: WebSocket(address, {"authorization": f"Bearer {token}"}))
