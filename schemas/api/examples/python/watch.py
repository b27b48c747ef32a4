"""Prints the events of a run, one JSON object per line, across lost connections.

    python3 watch.py websocket URL RUN        (the token is in OD_TOKEN)
    python3 watch.py http URL RUN
"""

import json
import os
import sys

from od_host_client import connect, http


def main() -> None:
    transport, url, run_id = sys.argv[1:]
    open_client = connect if transport == "websocket" else http
    with open_client(url, os.environ.get("OD_TOKEN", "")) as client:
        for event in client.events(run_id):
            print(json.dumps(event, ensure_ascii=False))


if __name__ == "__main__":
    main()
