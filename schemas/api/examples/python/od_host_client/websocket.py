"""The client's side of RFC 6455, without extensions: whole text messages over one connection."""

import base64
import hashlib
import os
import socket
import ssl
import threading
from typing import BinaryIO
from urllib.parse import SplitResult

from .errors import HostError, connection_lost, error_in_reply, not_understood

CONTINUATION, TEXT, CLOSE, PING, PONG = 0x0, 0x1, 0x8, 0x9, 0xA
FINAL = MASKED = 0x80

# RFC 6455: the suffix of the key in the handshake.
_KEY_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

# How long the host may take to answer the handshake, in seconds.
_HANDSHAKE_TIMEOUT = 10.0

# The host pings every 30 s; a connection without data for this long is considered dead.
_MAX_IDLE_SECONDS = 60.0


class WebSocket:
    """One connection. `send` and `receive` may be used by different threads."""

    def __init__(self, url: SplitResult, headers: dict[str, str]) -> None:
        self._url = url
        self._sending = threading.Lock()
        try:
            self._socket = _connect(url)
            self._input: BinaryIO = self._socket.makefile("rb")
            self._handshake(headers)
            self._socket.settimeout(_MAX_IDLE_SECONDS)
        except OSError as error:
            raise self._lost(str(error)) from error

    def send(self, message: str) -> None:
        """Sends a text message."""
        self._send_frame(TEXT, message.encode())

    def receive(self) -> str:
        """Returns the next text message and answers pings."""
        parts: list[bytes] = []
        while True:
            first, payload = self._read_frame()
            opcode = first & 0x0F
            if opcode == PING:
                self._send_frame(PONG, payload)
            elif opcode == CLOSE:
                raise self._lost(f"the host closed it, code {int.from_bytes(payload[:2])}")
            elif opcode in (TEXT, CONTINUATION):
                parts.append(payload)
                if first & FINAL:
                    return b"".join(parts).decode()
            elif opcode != PONG:
                raise not_understood(f"unexpected WebSocket frame with opcode {opcode}")

    def close(self) -> None:
        """Sends a close frame and closes the connection."""
        try:
            self._send_frame(CLOSE, (1000).to_bytes(2))
            # Unblocks a thread that waits in `receive`.
            self._socket.shutdown(socket.SHUT_RDWR)
        except (OSError, HostError):
            pass  # The connection has ended already.
        self._input.close()
        self._socket.close()

    def _handshake(self, headers: dict[str, str]) -> None:
        key = base64.b64encode(os.urandom(16))
        lines = [f"GET {self._url.path or '/'} HTTP/1.1", f"host: {self._url.netloc}"]
        lines += ["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"]
        lines += [f"sec-websocket-key: {key.decode()}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        status, answer = self._read_head()
        if status != 101:
            length = int(answer.get("content-length", "0"))
            raise error_in_reply(status, self._input.read(length))
        accepted = base64.b64encode(hashlib.sha1(key + _KEY_SUFFIX).digest()).decode()
        if answer.get("sec-websocket-accept") != accepted:
            raise not_understood(f"{self._url.netloc} is not a WebSocket server")

    def _read_head(self) -> tuple[int, dict[str, str]]:
        status_line = self._input.readline().decode("latin-1").split()
        if len(status_line) < 2 or not status_line[1].isdigit():
            raise not_understood(f"{self._url.netloc} is not an HTTP server")
        headers: dict[str, str] = {}
        while line := self._input.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return int(status_line[1]), headers

    def _read_frame(self) -> tuple[int, bytes]:
        first, second = self._read(2)
        length = second & 0x7F
        if length == 126:
            length = int.from_bytes(self._read(2))
        elif length == 127:
            length = int.from_bytes(self._read(8))
        return first, self._read(length)

    def _read(self, count: int) -> bytes:
        try:
            data = self._input.read(count)
        except (OSError, ValueError) as error:
            raise self._lost(str(error)) from error
        if len(data) < count:
            raise self._lost("the connection ended")
        return data

    def _send_frame(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        if length < 126:
            head = bytes([FINAL | opcode, MASKED | length])
        elif length < 1 << 16:
            head = bytes([FINAL | opcode, MASKED | 126]) + length.to_bytes(2)
        else:
            head = bytes([FINAL | opcode, MASKED | 127]) + length.to_bytes(8)
        mask = os.urandom(4)
        try:
            with self._sending:
                self._socket.sendall(head + mask + _masked(payload, mask))
        except OSError as error:
            raise self._lost(str(error)) from error

    def _lost(self, reason: str) -> HostError:
        message = f"no connection to {self._url.geturl()}: {reason}"
        return connection_lost(message, "is od-host serve running there?")


def _connect(url: SplitResult) -> socket.socket:
    is_secure = url.scheme in ("https", "wss")
    address = (url.hostname or "", url.port or (443 if is_secure else 80))
    plain = socket.create_connection(address, timeout=_HANDSHAKE_TIMEOUT)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not is_secure:
        return plain
    return ssl.create_default_context().wrap_socket(plain, server_hostname=url.hostname)


def _masked(payload: bytes, mask: bytes) -> bytes:
    """Masks all bytes at once as two large integers, because a loop over bytes is slow in Python."""
    count = len(payload)
    pattern = (mask * (count // 4 + 1))[:count]
    return (int.from_bytes(payload) ^ int.from_bytes(pattern)).to_bytes(count)
