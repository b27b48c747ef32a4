"""An example of every common call, over any transport.

Prints the results without values that differ each time, so that all transports and languages
can be compared byte for byte.

    python3 tour.py --cwd DIR websocket URL        (DIR is empty, the token is in OD_TOKEN)
    python3 tour.py --cwd DIR http URL
    python3 tour.py --cwd DIR stdio od-host serve --stdio
"""

import argparse
import json
import os
import sys
import uuid
from itertools import groupby
from typing import Any

from od_host_client import Client, HostError, connect, http, spawn
from od_host_client.types import RunEventParams, StartRunParams, is_known_event

PROMPT = "Make a page about tea"

# Events that depend on time.
TIMED_EVENTS = ("heartbeat", "status")


def open_client(transport: str, target: list[str]) -> Client:
    token = os.environ.get("OD_TOKEN", "")
    match transport:
        case "websocket":
            return connect(target[0], token)
        case "http":
            return http(target[0], token)
        case _:
            return spawn(target)


def tour(client: Client, cwd: str) -> dict[str, Any]:
    info = client.call("host/info")
    agents = client.call("agents/list")["agents"]
    demo = next(agent for agent in agents if agent["id"] == "demo")
    gates = client.call("agents/features", {"agent": "demo"})["gates"]
    used_before = used(client)

    start: StartRunParams = {
        "agent": "demo",
        "key": f"tour-{uuid.uuid4()}",
        "task": {"cwd": cwd, "prompt": {"text": PROMPT}, "model": "demo-1-fast"},
    }
    first = client.call("runs/start", start)
    again = client.call("runs/start", start)
    run_id = first["runId"]

    events = list(client.events(run_id))
    result = client.call("runs/result", {"runId": run_id})
    middle = len(events) // 2
    rest = list(client.events(run_id, middle))
    runs = client.call("runs/list", {"limit": 10, "agent": "demo"})["runs"]
    used_after = used(client)
    deleted = client.call("runs/delete", {"runId": run_id})["deleted"]
    usage = result.get("usage")

    return {
        "host": {"name": info["name"], "api": info["api"]},
        "agent": {name: demo[name] for name in ("id", "installed", "ready")},
        "features": {gate["feature"]: gate["enabled"] for gate in gates},
        "start": {"agent": first["agent"], "existing": first.get("existing")},
        "again": {"existing": again.get("existing"), "sameRun": again["runId"] == run_id},
        "events": counted(events),
        "gapless": [(event["seq"], event["runId"]) for event in events]
        == [(seq, run_id) for seq in range(len(events))],
        "text": text(events).replace(cwd, "CWD"),
        "result": {
            "agent": result["agent"],
            "attempts": [attempt["agent"] for attempt in result["attempts"]],
            "content": result["content"].replace(cwd, "CWD"),
            "costStated": result.get("costUsd") is not None,
            "evidence": result["verdict"]["evidence"],
            "files": [f"{file['op']} {os.path.basename(file['path'])}" for file in result["files"]],
            "lastSeqIsLast": result["lastSeq"] == events[-1]["seq"],
            "status": result["verdict"]["status"],
            "tokens": usage["totalTokens"] if usage else 0,
        },
        "middle": {"same": rest == events[middle:]},
        "listed": [run["state"] for run in runs if run["runId"] == run_id],
        "usage": {
            "runs": used_after[0] - used_before[0],
            "tokens": used_after[1] - used_before[1],
        },
        "deleted": deleted,
        "afterwards": state_after_deletion(client, run_id),
    }


def used(client: Client) -> tuple[int, int]:
    rows = client.call("usage/summary", {"by": "agent"})["rows"]
    return next(
        ((row["runs"], row["totalTokens"]) for row in rows if row["group"] == "demo"), (0, 0)
    )


def counted(events: list[RunEventParams]) -> list[tuple[str, int]]:
    """Counts consecutive events of the same type."""
    types = (event["event"]["type"] for event in events)
    kept = (name for name in types if name not in TIMED_EVENTS)
    return [(name, len(list(group))) for name, group in groupby(kept)]


def text(events: list[RunEventParams]) -> str:
    known = (event["event"] for event in events if is_known_event(event["event"]))
    return "".join(event["text"] for event in known if event["type"] == "text_delta")


def state_after_deletion(client: Client, run_id: str) -> dict[str, Any]:
    try:
        client.call("runs/get", {"runId": run_id})
    except HostError as error:
        return {"code": error.code, "kind": error.kind, "retryable": error.retryable}
    return {"kind": None}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cwd", required=True)
    parser.add_argument("transport", choices=["websocket", "http", "stdio"])
    parser.add_argument("target", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    try:
        with open_client(arguments.transport, arguments.target) as client:
            summary = tour(client, arguments.cwd)
    except HostError as error:
        print(f"error: {error}", f"hint: {error.hint}", sep="\n", file=sys.stderr)
        return 1
    print(json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
