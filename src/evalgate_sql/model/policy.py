"""What SQL may call, as the worker enforces it. `policy.load` builds it from data; this knows no file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ArgumentBound:
    """A bound on one argument of an allowed function."""

    functions: frozenset[str]
    argument: int
    """Position of the bounded argument, from 1."""
    literal: bool = False
    """True when the argument has to be written as one literal."""
    max_length: int | None = None
    """Greatest length of a text literal, in characters."""
    max_format_width: int | None = None
    """Greatest width and precision of the conversions in a printf template. A computed one (`*`) has no bound."""


@dataclass(frozen=True, slots=True)
class ClockCall:
    """Allowed functions that read the clock when a time argument is left out or says so."""

    functions: frozenset[str]
    time_arguments: tuple[int, ...]
    """Positions of the time values, from 1. A call with fewer arguments reads the clock."""


@dataclass(frozen=True, slots=True)
class ClockRule:
    """How to tell a call that reads the clock or the time zone from one that does not."""

    calls: tuple[ClockCall, ...] = ()
    time_values: frozenset[str] = frozenset()
    """Time values, in lower case, that mean the current time."""
    modifiers: frozenset[str] = frozenset()
    """Arguments, in lower case and at any position, that mean the local time zone."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The functions a statement may use. Names are in lower case."""

    name: str
    version: int
    sha256: str
    """Digest of the policy file that was named, in hexadecimal."""
    engine: str
    engine_versions: str
    """The engine versions this policy was made for, such as `>=3.37`."""
    functions: frozenset[str]
    table_functions: frozenset[str]
    """Table-valued functions that may stand in FROM."""
    nondeterministic: frozenset[str]
    """Functions of groups that are off because they read the clock or a random source."""
    bounds: tuple[ArgumentBound, ...] = ()
    clock: ClockRule | None = None
    """None when the clock group is enabled."""
    enabled_groups: tuple[str, ...] = ()
    """Groups that are off by default and were enabled for this run."""
    extends: str | None = None
    """The shipped policy that this one was made from, as NAME@VERSION."""

    @property
    def restricted_functions(self) -> frozenset[str]:
        """Return the functions of which a rule wants to see the arguments."""
        bounded = [bound.functions for bound in self.bounds]
        timed = [call.functions for call in self.clock.calls] if self.clock else []
        return frozenset().union(*bounded, *timed)
