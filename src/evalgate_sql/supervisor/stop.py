"""A request to stop that may come at any moment, from a signal handler too."""

import contextlib
import os


class StopRequest:
    """Set once, never unset. `fileno` becomes readable with it, so that a selector wakes up."""

    def __init__(self) -> None:
        """Nothing is requested yet."""
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._write_fd, False)
        self.requested = False

    def set(self) -> None:
        """Ask for the stop. Safe in a signal handler."""
        self.requested = True
        with contextlib.suppress(OSError):
            os.write(self._write_fd, b"!")

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._read_fd

    def close(self) -> None:
        """Close both ends."""
        os.close(self._read_fd)
        os.close(self._write_fd)
