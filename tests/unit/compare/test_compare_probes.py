"""Pairs of results on which other checkers were probed, each with our verdict."""

from typing import NamedTuple

import pytest

from evalgate_sql.compare.rows import compare
from evalgate_sql.model.outcome import Reason
from evalgate_sql.model.result import ResultSet, Row


class Probe(NamedTuple):
    """Rows of a reference and a generated query, and what they come to."""

    name: str
    reference: list[Row]
    generated: list[Row]
    reason: Reason | None
    order_matters: bool = False


PROBES = [
    Probe("duplicates against DISTINCT", [(10,), (10,)], [(10,)], Reason.ROW_COUNT),
    Probe("COUNT(DISTINCT n) against COUNT(n)", [(2,)], [(3,)], Reason.VALUES),
    Probe("cells swapped between rows", [(1, "a"), (2, "b")], [(1, "b"), (2, "a")], Reason.VALUES),
    Probe("NULL against 0", [(None,)], [(0,)], Reason.VALUES),
    Probe("NULL against 'None'", [(None,)], [("None",)], Reason.VALUES),
    Probe("NULL against ''", [(None,)], [("",)], Reason.VALUES),
    Probe("0.1 + 0.2 against 0.3", [(0.1 + 0.2,)], [(0.3,)], None),
    Probe("0.300 against 0.305", [(0.300,)], [(0.305,)], Reason.VALUES),
    Probe("no row against one", [], [(1,)], Reason.ROW_COUNT),
    Probe("one row against none", [(1,)], [], Reason.ROW_COUNT),
    Probe("descending, order free", [(1,), (2,)], [(2,), (1,)], None),
    Probe("descending, order asked for", [(1,), (2,)], [(2,), (1,)], Reason.ORDER, order_matters=True),
    Probe("ORDER BY inside a subquery only", [(2,), (1,), (3,)], [(3,), (2,), (1,)], None),
    Probe("ties in another legal order", [("a", 1), ("b", 1)], [("b", 1), ("a", 1)], None),
    Probe(
        "ties in another order, order asked for",
        [("a", 1), ("b", 1)],
        [("b", 1), ("a", 1)],
        Reason.ORDER,
        order_matters=True,
    ),
    Probe("columns repeated", [(5,)], [(5, 5, 5)], Reason.COLUMN_COUNT),
    Probe("one row against three equal ones", [(1,)], [(1,), (1,), (1,)], Reason.ROW_COUNT),
    Probe("other order with NULLs", [(1, None), (None, 2), (3, 4)], [(3, 4), (1, None), (None, 2)], None),
    Probe("2^53 against 2^53 + 1 beside NULL", [(2**53,), (None,)], [(2**53 + 1,), (None,)], Reason.VALUES),
    Probe("'007' against 7", [("007",)], [(7,)], Reason.VALUES),
    Probe("'NA' against NULL", [("NA",)], [(None,)], Reason.VALUES),
]


@pytest.mark.parametrize("probe", PROBES, ids=[probe.name for probe in PROBES])
def test_probe(probe: Probe) -> None:
    """The verdict is the wanted one."""
    columns = [len(rows[0]) if rows else 1 for rows in (probe.reference, probe.generated)]
    comparison = compare(
        ResultSet(columns[0], probe.reference),
        ResultSet(columns[1], probe.generated),
        order_matters=probe.order_matters,
        float_tolerance=1e-9,
    )

    assert comparison.reason is probe.reason


@pytest.mark.parametrize("order_matters", [False, True])
def test_empty_results_have_columns_too(order_matters: bool) -> None:  # noqa: FBT001 - a parameter
    """No rows of one column are not no rows of two."""
    one, two = ResultSet(1, []), ResultSet(2, [])

    assert compare(one, one, order_matters=order_matters, float_tolerance=1e-9).reason is None
    assert compare(one, two, order_matters=order_matters, float_tolerance=1e-9).reason is Reason.COLUMN_COUNT
