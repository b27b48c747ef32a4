"""The client over transports with whole messages: WebSocket and stdio."""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .client import Client
from .connection import Channel, Connection
from .errors import connection_lost
from .types import RunEventParams


class RpcClient(Client):
    """Opens its first connection immediately, and a new one when the last has ended."""

    def __init__(self, open: Callable[[], Channel]) -> None:
        self._open = open
        self._lock = threading.Lock()
        self._is_closed = False
        self._connection = Connection(open())

    def _call(self, method: str, params: Mapping[str, object] = {}, /) -> Any:
        return self._connected().call(method, params)

    def attach(self, run_id: str, from_seq: int) -> Iterator[RunEventParams]:
        return self._connected().attach(run_id, from_seq)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._connection.close()

    def _connected(self) -> Connection:
        with self._lock:
            if self._is_closed:
                raise connection_lost("the client was closed", "create a new client")
            if self._connection.ended is not None:
                self._connection.close()
                self._connection = Connection(self._open())
            return self._connection
