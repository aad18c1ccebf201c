"""The clock rule at the engine, for time values that are computed and so cannot be read from the text.

`date('n' || 'ow')` reads the clock as surely as `date('now')`. Where a statement might make up such a value, its time
functions are replaced, on its connection, by functions that look at each argument and hand the rest to SQLite's own.
SQLite calls a replaced function in a view, an index or a generated column "unsafe" and does not run the statement. What
uses such a one has to do without the guard: there, only what stands in a text is judged.
"""

import sqlite3
from collections.abc import Callable

from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.policy import ClockCall, ClockRule

SqlValue = str | bytes | int | float | None


class ClockReadError(Exception):
    """A time function was about to read the clock. Seen by SQLite only, which ends the statement."""


class ClockGuard:
    """Watches the time functions of one connection. `denial` says whether one was stopped."""

    def __init__(self, rule: ClockRule) -> None:
        """Prepare for one connection; nothing is replaced before `install`."""
        self._rule = rule
        self._originals = sqlite3.connect(":memory:", isolation_level=None)
        self.denial: Reason | None = None

    def install(self, connection: sqlite3.Connection) -> None:
        """Replace the time functions of `connection`."""
        for call in self._rule.calls:
            for name in filter(self._exists, call.functions):
                connection.create_function(name, -1, self._guarded(name, call), deterministic=True)

    def close(self) -> None:
        """Let go of the originals: for after the connection, whose functions use them."""
        self._originals.close()

    def _exists(self, function: str) -> bool:
        """Tell whether this SQLite has the function: replacing one that it lacks would make it known."""
        try:
            self._originals.execute(f"SELECT {function}(NULL)").close()
        except sqlite3.OperationalError as error:
            return not str(error).startswith("no such function")
        return True

    def _guarded(self, name: str, call: ClockCall) -> Callable[..., SqlValue]:
        original = self._original(name)

        def guarded(*arguments: SqlValue) -> SqlValue:
            if self._reads_clock(arguments, call):
                self.denial = Reason.FUNCTION_NONDETERMINISTIC
                raise ClockReadError
            return original(*arguments)

        return guarded

    def _original(self, name: str) -> Callable[..., SqlValue]:
        execute = self._originals.execute

        def original(*arguments: SqlValue) -> SqlValue:
            marks = ",".join("?" * len(arguments))
            (value,) = execute(f"SELECT {name}({marks})", arguments).fetchone()
            return value  # type: ignore[no-any-return]

        return original

    def _reads_clock(self, arguments: tuple[SqlValue, ...], call: ClockCall) -> bool:
        if len(arguments) < max(call.time_arguments):
            return True
        words = [_word(value) for value in arguments]
        return any(words[position - 1] in self._rule.time_values for position in call.time_arguments) or any(
            word in self._rule.modifiers for word in words
        )


def _word(value: SqlValue) -> str | None:
    """Return what SQLite would read as a time value: text, or the bytes of a blob as text."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    # To SQLite it ends at a NUL.
    return value.partition("\0")[0].lower() if isinstance(value, str) else None
