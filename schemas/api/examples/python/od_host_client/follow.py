"""The events of a run without a gap or a double, whatever happens to the connection."""

import time
from collections.abc import Iterator
from typing import Protocol

from .errors import HostError, connection_lost
from .types import RunEventParams, RunState

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0


class Source(Protocol):
    """Where events come from: one connection's worth of them, and how the run stands."""

    def attach(self, run_id: str, from_seq: int) -> Iterator[RunEventParams]: ...

    def state(self, run_id: str) -> RunState: ...


def follow(
    source: Source, run_id: str, from_seq: int, patience: float
) -> Iterator[RunEventParams]:
    """The events of a run until `done`."""
    pauses = _Pauses(patience)
    following = from_seq
    is_over = False
    while True:
        before = following
        lost = connection_lost(f"the events of {run_id} ended before the run did", "ask again")
        try:
            for event in source.attach(run_id, following):
                if event["seq"] < following:
                    continue
                if event["seq"] > following:
                    break  # A gap: what is missing is asked for again.
                following += 1
                pauses.renew()
                yield event
                if event["event"]["type"] == "done":
                    return
            if following > before:
                continue
            # Nothing came. When the run was over before, nothing will.
            if is_over:
                return
            is_over = source.state(run_id) not in ("queued", "running")
            if is_over:
                continue
        except HostError as error:
            if not error.retryable:
                raise
            lost = error
        pauses.wait(lost)


class _Pauses:
    """Pauses that double, until they have lasted too long together."""

    def __init__(self, total: float) -> None:
        self._total = total
        self.renew()

    def renew(self) -> None:
        self._left = self._total
        self._pause = FIRST_PAUSE

    def wait(self, error: HostError) -> None:
        """Waits a little, or gives up with what went wrong."""
        if self._left <= 0:
            raise error
        pause = min(self._pause, self._left)
        self._left -= pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE)
        time.sleep(pause)
