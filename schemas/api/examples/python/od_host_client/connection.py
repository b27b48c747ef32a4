"""JSON-RPC over one connection: matches responses and notifications to calls and subscriptions.

Transports and reconnecting are in other modules.
"""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

from .errors import HostError, connection_lost, not_understood
from .subscription import Subscription
from .types import RunEventParams


class Channel(Protocol):
    """Transports whole messages; several threads may send. Raises `HostError` when closed."""

    def send(self, message: str) -> None: ...

    def receive(self) -> str: ...

    def close(self) -> None: ...


class _Pending(NamedTuple):
    future: Future[Any]
    # Runs before the next message is read.
    on_result: Callable[[Any], Any]


class Connection:
    """One connection. A separate thread reads it."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._last_id = 0
        self._pending: dict[int, _Pending] = {}
        self._subscriptions: dict[str, Subscription] = {}
        self.ended: HostError | None = None
        self._reader = threading.Thread(target=self._read, name="od-host-client", daemon=True)
        self._reader.start()

    def call(self, method: str, params: object) -> Any:
        """Calls a method."""
        return self._send(method, params, lambda result: result).result()

    def attach(self, run_id: str, from_seq: int) -> Iterator[RunEventParams]:
        """Yields the events of a run; leaving the loop ends the subscription."""
        params = {"runId": run_id, "from": from_seq}
        subscription = self._send("runs/attach", params, self._subscribed).result()
        try:
            yield from subscription.events()
        finally:
            self._unsubscribe(subscription)

    def close(self) -> None:
        """Closes the connection."""
        self._end(connection_lost("the client was closed", "create a new client"))
        self._channel.close()
        self._reader.join()

    def _send(
        self, method: str, params: object, on_result: Callable[[Any], Any]
    ) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            if self.ended is not None:
                raise self.ended
            self._last_id += 1
            message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
            self._pending[self._last_id] = _Pending(future, on_result)
        self._channel.send(json.dumps(message))
        return future

    def _subscribed(self, subscription_id: Any) -> Subscription:
        subscription = Subscription(str(subscription_id), self._unsubscribe)
        self._subscriptions[subscription.id] = subscription
        return subscription

    def _unsubscribe(self, subscription: Subscription) -> None:
        if self._subscriptions.pop(subscription.id, None) is None:
            return
        try:
            # No need to wait for the response.
            self._send("runs/detach", [subscription.id], lambda result: result)
        except HostError:
            pass  # The connection has ended, and the subscription with it.

    def _read(self) -> None:
        try:
            while True:
                self._take(json.loads(self._channel.receive()))
        except HostError as error:
            self._end(error)
        except Exception as error:
            # Every pending call must fail, whatever the error is.
            self._end(not_understood(f"cannot read a message: {error!r}"))

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message:
            self._notified(message.get("params") or {})
            return
        with self._lock:
            pending = self._pending.pop(message.get("id", 0), None)
        if pending is None:
            return
        if "error" in message:
            pending.future.set_exception(HostError(message["error"]))
        else:
            pending.future.set_result(pending.on_result(message["result"]))

    def _notified(self, params: dict[str, Any]) -> None:
        subscription = self._subscriptions.get(str(params.get("subscription")))
        if subscription is None:
            return
        if "error" in params:
            subscription.fail(HostError(params["error"]))
        else:
            subscription.push(params["result"]["events"])

    def _end(self, error: HostError) -> None:
        with self._lock:
            if self.ended is not None:
                return
            self.ended = error
            pending, self._pending = self._pending, {}
        for entry in pending.values():
            entry.future.set_exception(error)
        for subscription in list(self._subscriptions.values()):
            subscription.fail(error)
