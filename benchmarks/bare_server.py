"""A fork server whose children do the least a driver can: the yardstick for `case_cost.py`.

Started like the product's own server (same limits, same imports, same protocol), so that the ratio of the two says
what the bounds, the policy and the comparison cost. The child connects, runs both queries by bare sqlite3, sends one
byte and exits. With `EMPTY` in the job it does not even connect.
"""

import json
import os
import resource
import sqlite3
import sys


def run_bare(job_fd: int, reply_fd: int, _page: object) -> None:
    """Run the two queries of a job of the form {"path", "queries"}."""
    job = json.loads(os.pread(job_fd, 1 << 20, 0))
    if job["path"]:
        connection = sqlite3.connect(job["path"])
        results = [sorted(connection.execute(query).fetchall()) for query in job["queries"]]
        os.write(reply_fd, b"1" if results[0] == results[1] else b"0")
    else:
        os.write(reply_fd, b"1")
    os._exit(0)


def main() -> None:
    """Bound this process as the product does, then serve bare children."""
    launch = json.loads(sys.argv[1])
    for name, value in launch["rlimits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    sys.path.extend(launch["roots"])

    from evalgate_sql.worker import child, forkserver  # noqa: F401, PLC0415 - the same modules as the product's server

    forkserver.serve(launch["control"], run_bare)


if __name__ == "__main__":
    main()
