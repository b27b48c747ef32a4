"""The promises of `events`, kept whatever a host or a connection does. The host here is a script."""

import json
import queue
import unittest
from collections.abc import Callable
from typing import Any

from od_host_client import CONNECTION_LOST, HostError
from od_host_client.errors import connection_lost
from od_host_client.rpc import RpcClient
from od_host_client.subscription import MOST_WAITING

LAST = 9_999


class ScriptedHost:
    """A host with one run, whose subscriptions do as the script says."""

    def __init__(self, script: Callable[["ScriptedChannel", int, int], None]) -> None:
        self.script = script
        self.attached_from: list[int] = []

    def open(self) -> "ScriptedChannel":
        return ScriptedChannel(self)


class ScriptedChannel:
    """One connection to it."""

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
            raise connection_lost("the cable was cut", "mend it")
        return message

    def close(self) -> None:
        self.lose()

    def lose(self) -> None:
        self._messages.put(None)

    def bring(self, attempt: int, numbers: range | list[int]) -> None:
        """Sends events of those numbers."""
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
        return [event["seq"] for event in client.events("run-1", start, patience=1.0)]


class EventsTest(unittest.TestCase):
    def test_doubles_are_dropped_and_gaps_are_asked_for_again(self) -> None:
        def script(channel: ScriptedChannel, attempt: int, start: int) -> None:
            if attempt == 0:
                channel.bring(0, [start, start + 1, start + 1, start, start + 2, start + 5])
            else:
                channel.bring(attempt, range(start, LAST + 1))

        host = ScriptedHost(script)
        self.assertEqual(numbers(host, 9_000), list(range(9_000, LAST + 1)))
        self.assertEqual(host.attached_from, [9_000, 9_003])

    def test_a_lost_connection_is_made_again_and_the_events_go_on(self) -> None:
        def script(channel: ScriptedChannel, attempt: int, start: int) -> None:
            channel.bring(attempt, range(start, min(start + 400, LAST + 1)))
            if start + 400 <= LAST:
                channel.lose()

        host = ScriptedHost(script)
        self.assertEqual(numbers(host, 9_000), list(range(9_000, LAST + 1)))
        self.assertEqual(host.attached_from, [9_000, 9_400, 9_800])

    def test_a_slow_reader_is_detached_and_attached_again_and_loses_nothing(self) -> None:
        def script(channel: ScriptedChannel, attempt: int, start: int) -> None:
            for first in range(start, LAST + 1, 100):
                channel.bring(attempt, range(first, min(first + 100, LAST + 1)))

        host = ScriptedHost(script)
        with RpcClient(host.open) as client:
            events = client.events("run-1")
            seen = [next(events)["seq"]]
            # The answer comes behind all events, so by then nothing more waits to be read.
            client.call("runs/get", {"runId": "run-1"})
            seen += [event["seq"] for event in events]
        self.assertEqual(seen, list(range(LAST + 1)))
        self.assertGreater(len(host.attached_from), 1)
        self.assertGreater(host.attached_from[1], MOST_WAITING)

    def test_after_the_last_event_there_is_nothing_to_wait_for(self) -> None:
        host = ScriptedHost(lambda channel, attempt, start: channel.bring(attempt, []))
        self.assertEqual(numbers(host, LAST + 1), [])

    def test_a_host_that_cannot_be_reached_again_is_told_after_a_while(self) -> None:
        host = ScriptedHost(lambda channel, attempt, start: channel.lose())
        with self.assertRaises(HostError) as caught:
            numbers(host, 0)
        self.assertEqual(caught.exception.kind, CONNECTION_LOST)
        self.assertGreater(len(host.attached_from), 1)


if __name__ == "__main__":
    unittest.main()
