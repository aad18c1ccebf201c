"""The first job of every case set: find out whether the fixture opens and the limits bite on this machine.

A limit that the kernel accepts and does not enforce (some emulated kernels do that) must stop the run, not weaken it.
"""

import mmap
import resource

from evalgate_sql.backends.sqlite import SqliteSession
from evalgate_sql.limits import WORKER_ADDRESS_SPACE_BYTES
from evalgate_sql.model.fault import FixtureLocked, QueryFault
from evalgate_sql.wire.messages import FaultCode, JobContext, JobFault, Probe
from evalgate_sql.worker.snapshot import is_unchanged


def probe(context: JobContext) -> Probe | JobFault:
    """Open the fixture once and try what must not succeed."""
    if not address_space_is_bounded() or not core_dumps_are_off():
        return JobFault(FaultCode.LIMIT_NOT_ENFORCED)
    if not is_unchanged(context.fixture):
        return JobFault(FaultCode.FIXTURE_CHANGED)
    try:
        session = SqliteSession(context.fixture)
    except FixtureLocked:
        return JobFault(FaultCode.FIXTURE_LOCKED)
    except QueryFault:
        return JobFault(FaultCode.FIXTURE_DAMAGED)
    if not session.names.modules:  # the authorizer could not tell a virtual table from a common table expression
        return JobFault(FaultCode.ENGINE_UNSUPPORTED)
    return Probe(session.engine_version)


def address_space_is_bounded() -> bool:
    """Try to map more than the limit allows."""
    try:
        mmap.mmap(-1, WORKER_ADDRESS_SPACE_BYTES).close()
    except (OSError, MemoryError):
        return True
    return False


def core_dumps_are_off() -> bool:
    """Tell whether a crash would leave the fixture's rows in a core file."""
    return resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
