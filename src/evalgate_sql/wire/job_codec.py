"""Jobs as bytes: written by the parent, read by a child that trusts it."""

import json
from typing import Any

from evalgate_sql.limits import MAX_JOB_BYTES
from evalgate_sql.model.fixture import FileStamp, SqliteFixture
from evalgate_sql.model.policy import ArgumentBound, ClockCall, ClockRule, Policy
from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.wire import frames
from evalgate_sql.wire.messages import JobContext, Queries

_DECODER = json.JSONDecoder()


def encode_context(context: JobContext) -> bytes:
    """Return the frame that a fork server gets before the jobs of a case set."""
    fixture, limits = context.fixture, context.limits
    return _frame(
        {
            "path": fixture.path,
            "stamp": fixture.stamp,
            "immutable": fixture.immutable,
            "policy": _policy_fields(context.policy),
            "timeoutMs": limits.timeout_ms,
            "maxRows": limits.max_rows,
            "showDiff": context.show_diff,
        }
    )


def encode_queries(queries: Queries | None) -> bytes:
    """Return the frame of one job; None makes it a probe."""
    if queries is None:
        return _frame(None)
    return _frame([queries.reference_sql, queries.generated_sql, queries.order_matters, queries.float_tolerance])


def decode_context(data: bytes) -> JobContext:
    """Read the frame of a context."""
    return _read_context(json.loads(frames.unpack(data, max_bytes=MAX_JOB_BYTES)))


def decode_queries(data: bytes) -> Queries | None:
    """Read the frame of a job."""
    text = frames.unpack(data, max_bytes=MAX_JOB_BYTES).decode("utf-8", "surrogatepass")
    queries, _end = _DECODER.raw_decode(text)
    return None if queries is None else Queries(*queries)


def _frame(value: object) -> bytes:
    # surrogatepass: a lone surrogate must reach the text rules of the child, which reject it by name.
    return frames.pack(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def _policy_fields(policy: Policy) -> dict[str, object]:
    clock = policy.clock
    return {
        "name": policy.name,
        "version": policy.version,
        "sha256": policy.sha256,
        "engine": policy.engine,
        "engineVersions": policy.engine_versions,
        "functions": sorted(policy.functions),
        "tableFunctions": sorted(policy.table_functions),
        "nondeterministic": sorted(policy.nondeterministic),
        "bounds": [
            [sorted(bound.functions), bound.argument, bound.literal, bound.max_length, bound.max_format_width]
            for bound in policy.bounds
        ],
        "clock": clock
        and {
            "calls": [[sorted(call.functions), list(call.time_arguments)] for call in clock.calls],
            "timeValues": sorted(clock.time_values),
            "modifiers": sorted(clock.modifiers),
        },
    }


def _read_context(fields: dict[str, Any]) -> JobContext:
    fixture = SqliteFixture(fields["path"], FileStamp(*fields["stamp"]), immutable=fields["immutable"])
    limits = QueryLimits(fields["timeoutMs"], fields["maxRows"])
    return JobContext(fixture, _read_policy(fields["policy"]), limits, fields["showDiff"])


def _read_policy(fields: dict[str, Any]) -> Policy:
    return Policy(
        name=fields["name"],
        version=fields["version"],
        sha256=fields["sha256"],
        engine=fields["engine"],
        engine_versions=fields["engineVersions"],
        functions=frozenset(fields["functions"]),
        table_functions=frozenset(fields["tableFunctions"]),
        nondeterministic=frozenset(fields["nondeterministic"]),
        bounds=tuple(ArgumentBound(frozenset(names), *rest) for names, *rest in fields["bounds"]),
        clock=_read_clock(fields["clock"]),
    )


def _read_clock(fields: dict[str, Any] | None) -> ClockRule | None:
    if fields is None:
        return None
    return ClockRule(
        calls=tuple(ClockCall(frozenset(names), tuple(positions)) for names, positions in fields["calls"]),
        time_values=frozenset(fields["timeValues"]),
        modifiers=frozenset(fields["modifiers"]),
    )
