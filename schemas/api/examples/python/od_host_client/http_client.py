"""The HTTP transport: one request per call, server-sent events for runs."""

import itertools
import json
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlsplit

from .client import Client
from .errors import HostError, connection_lost, error_in_reply, not_understood
from .types import RunEventParams

# The host sends data at least every 15 s.
MAX_IDLE_SECONDS = 60.0


def http(url: str, token: str) -> Client:
    """Returns a client over HTTP for the address that `od-host serve` prints. Connects on the first call."""
    return _HttpClient(url, token)


class _HttpClient(Client):
    def __init__(self, url: str, token: str) -> None:
        self._url = urlsplit(url)
        self._headers = {"authorization": f"Bearer {token}"}
        self._ids = itertools.count(1)

    def _call(self, method: str, params: Mapping[str, object] = {}, /) -> Any:
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        headers = {"content-type": "application/json"}
        # A call may wait for the end of a run, so it has no time limit.
        connection = self._connect(None)
        try:
            response = self._request(connection, "POST", "/", headers, json.dumps(message))
            reply = json.loads(response.read())
        except (OSError, HTTPException) as error:
            raise self._lost(error) from error
        except ValueError as error:
            raise not_understood(f"the response to {method} is not JSON: {error}") from error
        finally:
            connection.close()
        if "error" in reply:
            raise HostError(reply["error"])
        return reply["result"]

    def attach(self, run_id: str, from_seq: int) -> Iterator[RunEventParams]:
        path = f"/runs/{quote(run_id, safe='')}/events?from={from_seq}"
        connection = self._connect(MAX_IDLE_SECONDS)
        try:
            response = self._request(connection, "GET", path, {"accept": "text/event-stream"})
            for kind, data in _server_sent_messages(response):
                if kind == b"stream_failed":
                    raise HostError(json.loads(data))
                yield json.loads(data)
        except (OSError, HTTPException) as error:
            raise self._lost(error) from error
        finally:
            connection.close()

    def close(self) -> None:
        """Does nothing: every request has its own connection."""

    def _connect(self, timeout: float | None) -> HTTPConnection:
        kind = HTTPSConnection if self._url.scheme == "https" else HTTPConnection
        return kind(self._url.hostname or "", self._url.port, timeout=timeout)

    def _request(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        headers: dict[str, str],
        body: str | None = None,
    ) -> HTTPResponse:
        encoded = None if body is None else body.encode()
        connection.request(method, path, encoded, self._headers | headers)
        response = connection.getresponse()
        if response.status != 200:
            raise error_in_reply(response.status, response.read())
        return response

    def _lost(self, error: Exception) -> HostError:
        message = f"no connection to {self._url.geturl()}: {error}"
        return connection_lost(message, "is od-host serve running there?")


def _server_sent_messages(response: HTTPResponse) -> Iterator[tuple[bytes, bytes]]:
    """Yields type and data of each message; the host sends one line of data.

    Comments and ids are skipped: the data contains the ids.
    """
    kind = b""
    for line in response:
        name, _, value = line.rstrip(b"\n").partition(b": ")
        if name == b"event":
            kind = value
        elif name == b"data":
            yield kind, value
