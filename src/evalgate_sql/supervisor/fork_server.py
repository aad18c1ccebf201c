"""One fork server, seen from the parent: start it, hand it jobs, hear how its children ended, kill it.

The server is the leader of a process group of its own, and the parent's child: until the parent reaps it, its number
belongs to no other process, so killing the group can hit nothing else.
"""

import contextlib
import os
import signal
import socket
import subprocess
from pathlib import Path

from evalgate_sql.supervisor.launch import BOOTSTRAP, Launch
from evalgate_sql.wire.control import CONTEXT, REQUEST, STATUS_BYTES, ChildStatus


class ServerLost(Exception):
    """The control socket is closed at the other end: the server is dead or dying."""


class ForkServer:
    """A running fork server. `fileno` is ready when there is a status to read."""

    def __init__(self, launch: Launch, *, bootstrap: Path = BOOTSTRAP) -> None:
        """Start the server; it says when it is ready by its first status."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own file
                launch.argv(theirs.fileno(), bootstrap=bootstrap),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=launch.environment(),
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._control.setblocking(False)

    @property
    def pid(self) -> int:
        """Return the server's process number, which is also its process group's."""
        return self._process.pid

    def fileno(self) -> int:
        """Return the control socket, for a selector."""
        return self._control.fileno()

    def load(self, context: bytes) -> None:
        """Hand over what the jobs from now on share. Raises `ServerLost` when the server is gone."""
        self._send(CONTEXT, context, [])

    def submit(self, number: int, payload: bytes) -> int:
        """Hand over a job and return the descriptor from which its reply can be read.

        Raises `ServerLost` when the server is gone.
        """
        reply_fd, their_reply_fd = os.pipe2(os.O_CLOEXEC)
        try:
            self._send(number, payload, [their_reply_fd])
        except ServerLost:
            os.close(reply_fd)
            raise
        finally:
            os.close(their_reply_fd)
        os.set_blocking(reply_fd, False)
        return reply_fd

    def _send(self, number: int, payload: bytes, descriptors: list[int]) -> None:
        """Send a request with its payload in anonymous memory: no pipe to fill, nothing left unread on a death."""
        payload_fd = os.memfd_create("job")
        try:
            with open(payload_fd, "wb", closefd=False) as file:
                file.write(payload)
            socket.send_fds(self._control, [REQUEST.pack(number)], [payload_fd, *descriptors])
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ServerLost from error
        finally:
            os.close(payload_fd)

    def next_status(self) -> ChildStatus | None:
        """Return the next status, or None when there is none yet. Raises `ServerLost` at the end."""
        try:
            record = self._control.recv(STATUS_BYTES)
        except BlockingIOError:
            return None
        except ConnectionResetError as error:
            raise ServerLost from error
        if not record:
            raise ServerLost
        return ChildStatus.unpack(record)

    def kill(self) -> None:
        """Kill the server and all its children, and wait until it is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._control.close()
