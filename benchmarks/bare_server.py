"""A fork server whose children do the least a driver can: the yardstick for `case_cost.py`.

Started like the product's own server (same limits, same imports, same protocol), so that the ratio of the two says
what the bounds, the policy and the comparison cost. The child connects, runs both queries by bare sqlite3, sends one
byte and exits.
"""

import json
import mmap
import os
import resource
import sqlite3
import sys
from typing import NoReturn


class BareWorker:
    """A `forkserver.Worker` that does the bare minimum."""

    def load(self, context: bytes) -> None:
        """Take the path of the database and the two queries, as JSON."""
        self.path, self.queries = json.loads(context)

    def run(self, _job_fd: int, reply_fd: int, _page: mmap.mmap) -> NoReturn:
        """Run the queries and say by one byte whether the results are equal."""
        connection = sqlite3.connect(self.path)
        reference, generated = (sorted(connection.execute(query).fetchall()) for query in self.queries)
        os.write(reply_fd, b"1" if reference == generated else b"0")
        os._exit(0)


def main() -> None:
    """Bound this process as the product does, then serve bare children."""
    launch = json.loads(sys.argv[1])
    for name, value in launch["rlimits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))
    sys.path.extend(launch["roots"])

    from evalgate_sql.worker import child, forkserver  # noqa: F401 - the same modules as the product's server

    forkserver.serve(launch["control"], BareWorker())


if __name__ == "__main__":
    main()
