"""What every face gives: calls, and the events of a run. How they travel does not live here."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self

from .follow import follow
from .types import Calls, RunEventParams, RunState


class Client(ABC):
    """A client of the host, the same over WebSocket, HTTP and a pipe; safe to use from threads."""

    @property
    def call(self) -> Calls:
        """Calls a method: `client.call("runs/get", {"runId": run_id})`. Raises `HostError`."""
        return self._call

    def events(
        self, run_id: str, from_seq: int = 0, patience: float = 60.0
    ) -> Iterator[RunEventParams]:
        """The events of a run from a number on, each once and in order, until `done`.

        A lost connection is made again and the events go on where they were; `patience` is how
        long to try without any event, in seconds. Leaving the loop ends the watching, not the run.
        """
        return follow(self, run_id, from_seq, patience)

    def state(self, run_id: str) -> RunState:
        """How a run stands."""
        return self.call("runs/get", {"runId": run_id})["state"]

    @abstractmethod
    def _call(self, method: str, params: Mapping[str, object] = {}, /) -> Any:
        """Calls a method."""

    @abstractmethod
    def attach(self, run_id: str, from_seq: int) -> Iterator[RunEventParams]:
        """The events that one connection brings; it may end before the run does."""

    @abstractmethod
    def close(self) -> None:
        """Ends the connection."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
