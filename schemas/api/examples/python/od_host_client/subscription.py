"""A queue between the connection that receives events and the loop that reads them."""

import threading
from collections import deque
from collections.abc import Callable, Iterator

from .errors import HostError
from .types import RunEventParams

# The most events that wait for a slow reader; the host's journal keeps the rest.
MAX_WAITING_EVENTS = 4096


class Subscription:
    """One subscription. Calls `on_full` and accepts no more events when the reader is too slow."""

    def __init__(self, id: str, on_full: Callable[["Subscription"], None]) -> None:
        self.id = id
        self._on_full = on_full
        self._changed = threading.Condition()
        self._waiting: deque[RunEventParams] = deque()
        self._ended = False
        self._error: HostError | None = None

    def push(self, events: list[RunEventParams]) -> None:
        """Adds events; an empty list means that no more will follow."""
        with self._changed:
            if self._ended:
                return
            self._waiting.extend(events)
            is_full = len(self._waiting) > MAX_WAITING_EVENTS
            self._ended = is_full or not events
            self._changed.notify()
        if is_full:
            self._on_full(self)

    def fail(self, error: HostError) -> None:
        """Ends the subscription with an error."""
        with self._changed:
            self._error = self._error or error
            self._ended = True
            self._changed.notify()

    def events(self) -> Iterator[RunEventParams]:
        """Yields the events in order."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended)
                if not self._waiting:
                    break
                event = self._waiting.popleft()
            yield event
        if self._error is not None:
            raise self._error
