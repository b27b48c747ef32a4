"""Tests of `events` against a scripted host."""

import json
import queue
import unittest
from collections.abc import Callable
from typing import Any

from od_host_client import CONNECTION_LOST, HostError
from od_host_client.errors import connection_lost
from od_host_client.rpc import RpcClient
from od_host_client.subscription import MAX_WAITING_EVENTS

LAST = 9_999


class ScriptedHost:
    """A host with one run, whose subscriptions follow a script."""

    def __init__(self, script: Callable[["ScriptedChannel", int, int], None]) -> None:
        self.script = script
        self.attached_from: list[int] = []

    def open(self) -> "ScriptedChannel":
        return ScriptedChannel(self)


class ScriptedChannel:
    """One connection to the scripted host."""

    def __init__(self, host: ScriptedHost) -> None:
        self._host = host
        self._messages: queue.Queue[str | None] = queue.Queue()

    def send(self, message: str) -> None:
        call = json.loads(message)
        match call["method"]:
            case "runs/get":
                self._answer(call["id"], {"state": "completed"})
            case "runs/detach":
                self._answer(call["id"], True)
            case "runs/attach":
                attempt, start = len(self._host.attached_from), call["params"]["from"]
                self._host.attached_from.append(start)
                self._answer(call["id"], f"s{attempt}")
                self._host.script(self, attempt, start)

    def receive(self) -> str:
        message = self._messages.get()
        if message is None:
            raise connection_lost("the test closed it", "reconnect it")
        return message

    def close(self) -> None:
        self.close_connection()

    def close_connection(self) -> None:
        self._messages.put(None)

    def send_events(self, attempt: int, numbers: range | list[int]) -> None:
        """Sends events with these sequence numbers."""
        events = [
            {"runId": "run-1", "seq": seq, "ts": 0, "event": {"type": _type(seq)}}
            for seq in numbers
        ]
        params = {"subscription": f"s{attempt}", "result": {"events": events}}
        self._put({"jsonrpc": "2.0", "method": "runs/event", "params": params})

    def _answer(self, id: int, result: object) -> None:
        self._put({"jsonrpc": "2.0", "id": id, "result": result})

    def _put(self, message: dict[str, Any]) -> None:
        self._messages.put(json.dumps(message))


def _type(seq: int) -> str:
    return "done" if seq == LAST else "heartbeat"


def numbers(host: ScriptedHost, start: int) -> list[int]:
    with RpcClient(host.open) as client:
        return [event["seq"] for event in client.events("run-1", start, reconnect_timeout=1.0)]


class EventsTest(unittest.TestCase):
    def test_duplicates_are_dropped_and_gaps_filled(self) -> None:
        def script(channel: ScriptedChannel, attempt: int, start: int) -> None:
            if attempt == 0:
                channel.send_events(0, [start, start + 1, start + 1, start, start + 2, start + 5])
            else:
                channel.send_events(attempt, range(start, LAST + 1))

        host = ScriptedHost(script)
        self.assertEqual(numbers(host, 9_000), list(range(9_000, LAST + 1)))
        self.assertEqual(host.attached_from, [9_000, 9_003])

    def test_events_continue_after_lost_connection(self) -> None:
        def script(channel: ScriptedChannel, attempt: int, start: int) -> None:
            channel.send_events(attempt, range(start, min(start + 400, LAST + 1)))
            if start + 400 <= LAST:
                channel.close_connection()

        host = ScriptedHost(script)
        self.assertEqual(numbers(host, 9_000), list(range(9_000, LAST + 1)))
        self.assertEqual(host.attached_from, [9_000, 9_400, 9_800])

    def test_slow_reader_loses_no_events(self) -> None:
        def script(channel: ScriptedChannel, attempt: int, start: int) -> None:
            for first in range(start, LAST + 1, 100):
                channel.send_events(attempt, range(first, min(first + 100, LAST + 1)))

        host = ScriptedHost(script)
        with RpcClient(host.open) as client:
            events = client.events("run-1")
            seen = [next(events)["seq"]]
            # The answer comes behind all events, so by then nothing more waits to be read.
            client.call("runs/get", {"runId": "run-1"})
            seen += [event["seq"] for event in events]
        self.assertEqual(seen, list(range(LAST + 1)))
        self.assertGreater(len(host.attached_from), 1)
        self.assertGreater(host.attached_from[1], MAX_WAITING_EVENTS)

    def test_no_events_after_last_event(self) -> None:
        host = ScriptedHost(lambda channel, attempt, start: channel.send_events(attempt, []))
        self.assertEqual(numbers(host, LAST + 1), [])

    def test_unreachable_host_raises_after_timeout(self) -> None:
        host = ScriptedHost(lambda channel, attempt, start: channel.close_connection())
        with self.assertRaises(HostError) as caught:
            numbers(host, 0)
        self.assertEqual(caught.exception.kind, CONNECTION_LOST)
        self.assertGreater(len(host.attached_from), 1)


if __name__ == "__main__":
    unittest.main()
