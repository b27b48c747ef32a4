"""Events between the connection that brings them and the loop that takes them."""

import threading
from collections import deque
from collections.abc import Callable, Iterator

from .errors import HostError
from .types import RunEventParams

# So many events wait for a slow reader; the host's journal keeps the rest.
MOST_WAITING = 4096


class Subscription:
    """One subscription. `on_full` is told when the reader is too slow; no more is taken then."""

    def __init__(self, id: str, on_full: Callable[["Subscription"], None]) -> None:
        self.id = id
        self._on_full = on_full
        self._changed = threading.Condition()
        self._waiting: deque[RunEventParams] = deque()
        self._ended = False
        self._error: HostError | None = None

    def push(self, events: list[RunEventParams]) -> None:
        """Takes what came; no events mean that no more will come."""
        with self._changed:
            if self._ended:
                return
            self._waiting.extend(events)
            is_full = len(self._waiting) > MOST_WAITING
            self._ended = is_full or not events
            self._changed.notify()
        if is_full:
            self._on_full(self)

    def fail(self, error: HostError) -> None:
        """Nothing more will come, because something went wrong."""
        with self._changed:
            self._error = self._error or error
            self._ended = True
            self._changed.notify()

    def events(self) -> Iterator[RunEventParams]:
        """What came, in order."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended)
                if not self._waiting:
                    break
                event = self._waiting.popleft()
            yield event
        if self._error is not None:
            raise self._error
