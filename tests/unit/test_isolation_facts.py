"""The bounds of a case as the report names them."""

from evalgate_sql.model.query_limits import QueryLimits
from evalgate_sql.runner import isolation


def test_isolation_says_what_holds() -> None:
    """The report names each bound of a case with its number."""
    assert isolation(QueryLimits(5_000)) == {
        "freshProcessPerCase": True,
        "addressSpaceBytes": 536_870_912,
        "cpuMs": 25_000,
        "wallMs": 25_000,
        "fileSizeBytes": 0,
        "coreDumps": False,
        "openFiles": 32,
        "noNewPrivileges": True,
        "diesWithParent": True,
    }
