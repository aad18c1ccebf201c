"""How a query may end other than with rows. Raised and caught inside the worker, never sent.

Each fault carries a `Reason`; `worker.evaluate` alone turns faults into outcomes.
"""

from evalgate_sql.model.outcome import Reason


class QueryFault(Exception):
    """A query that gave no result set."""

    def __init__(self, reason: Reason) -> None:
        """Keep the reason; there is no message, since database text must not travel."""
        super().__init__(reason.value)
        self.reason = reason


class Rejected(QueryFault):
    """The text is no statement, or the engine cannot run it."""


class Refused(QueryFault):
    """The engine could run the statement, but the contract forbids it."""


class CapExceeded(QueryFault):
    """The result is larger than the limits allow."""


class FixtureDamaged(QueryFault):
    """The engine could not read the fixture."""

    def __init__(self) -> None:
        """Name the one reason there is."""
        super().__init__(Reason.FIXTURE_DAMAGED)


class FixtureLocked(Exception):
    """Another process holds the fixture, so no case can run now."""
