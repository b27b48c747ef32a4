"""The events of a run without gaps or duplicates, across lost connections."""

import time
from collections.abc import Iterator
from typing import Protocol

from .errors import HostError, connection_lost
from .types import RunEventParams, RunState

FIRST_PAUSE_SECONDS = 0.1
MAX_PAUSE_SECONDS = 5.0


class Source(Protocol):
    """A source of events: the events of one connection, and the state of the run."""

    def attach(self, run_id: str, from_seq: int) -> Iterator[RunEventParams]: ...

    def state(self, run_id: str) -> RunState: ...


def follow(
    source: Source, run_id: str, from_seq: int, reconnect_timeout: float
) -> Iterator[RunEventParams]:
    """Yields the events of a run until `done`."""
    retry_budget = _RetryBudget(reconnect_timeout)
    following = from_seq
    has_ended = False
    while True:
        before = following
        lost = connection_lost(f"the events of {run_id} ended before the run did", "retry")
        try:
            for event in source.attach(run_id, following):
                if event["seq"] < following:
                    continue
                if event["seq"] > following:
                    break  # A gap: attach again from the missing event.
                following += 1
                retry_budget.reset()
                yield event
                if event["event"]["type"] == "done":
                    return
            if following > before:
                continue
            # No events. If the run had already ended, there are no more.
            if has_ended:
                return
            has_ended = source.state(run_id) not in ("queued", "running")
            if has_ended:
                continue
        except HostError as error:
            if not error.retryable:
                raise
            lost = error
        retry_budget.pause(lost)


class _RetryBudget:
    """Pauses that double, up to a total time without an event."""

    def __init__(self, total: float) -> None:
        self._total = total
        self.reset()

    def reset(self) -> None:
        self._left = self._total
        self._pause = FIRST_PAUSE_SECONDS

    def pause(self, error: HostError) -> None:
        """Pauses, or raises the error when the budget is used up."""
        if self._left <= 0:
            raise error
        pause = min(self._pause, self._left)
        self._left -= pause
        self._pause = min(self._pause * 2, MAX_PAUSE_SECONDS)
        time.sleep(pause)
