"""The first code of a fork server: limits first, then our package, then service.

Started by path as `python -I -S bootstrap.py LAUNCH`, so that neither the working directory, nor PYTHONPATH, nor a
`.pth` file has a say before the limits are set. Imports the standard library only until they are. LAUNCH is JSON, made
by `supervisor.launch`: `rlimits` (name to value, soft = hard), `roots` (import roots), `control` (descriptor).
"""

import json
import resource
import sys


def set_limit(limit: int, value: int) -> None:
    """Set a limit, soft = hard, unless this machine's own is lower: that one cannot be raised and binds as well."""
    _, hard = resource.getrlimit(limit)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (bound, bound))


def main() -> None:
    """Bound this process, then serve until the supervisor closes the control socket."""
    launch = json.loads(sys.argv[1])
    for name, value in launch["rlimits"].items():
        set_limit(getattr(resource, name), value)
    sys.path.extend(launch["roots"])

    from evalgate_sql.worker import child, forkserver  # noqa: PLC0415 - not before the limits hold

    forkserver.serve(launch["control"], child.CaseWorker())


if __name__ == "__main__":
    main()
