"""The client interface of every transport: calls, and the events of a run."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from .follow import follow
from .types import Calls, RunEventParams, RunState


class Client(ABC):
    """A client of the host, the same over WebSocket, HTTP and stdio. Threads may share it."""

    @property
    def call(self) -> Calls:
        """Calls a method: `client.call("runs/get", {"runId": run_id})`. Raises `HostError`."""
        return self._call

    def events(
        self, run_id: str, from_seq: int = 0, reconnect_timeout: float = 60.0
    ) -> Iterator[RunEventParams]:
        """Yields the events of a run from a sequence number, each once and in order, until `done`.

        Reconnects after a lost connection and continues at the next event; `reconnect_timeout` limits
        the seconds of retries without an event. Leaving the loop ends the subscription, not the run.
        """
        return follow(self, run_id, from_seq, reconnect_timeout)

    def state(self, run_id: str) -> RunState:
        """Returns the state of a run."""
        return self.call("runs/get", {"runId": run_id})["state"]

    @abstractmethod
    def _call(self, method: str, params: Mapping[str, object] = {}, /) -> Any:
        """Calls a method."""

    @abstractmethod
    def attach(self, run_id: str, from_seq: int) -> Iterator[RunEventParams]:
        """Yields the events of one connection, which may end before the run does."""

    @abstractmethod
    def close(self) -> None:
        """Closes the connection."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
