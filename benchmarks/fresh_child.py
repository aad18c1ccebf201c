"""One case in an interpreter of its own: the product's child code without its fork server. See `case_cost.py`."""

import mmap
import os
import sys
from pathlib import Path


def main() -> None:
    """Do the job in the last file named, in the context of the one before; the reply goes to stdout."""
    root, context, job = sys.argv[1:]
    sys.path.append(root)
    from evalgate_sql.worker import child

    worker = child.CaseWorker()
    worker.load(Path(context).read_bytes())
    worker.run(os.open(job, os.O_RDONLY), sys.stdout.fileno(), mmap.mmap(-1, mmap.PAGESIZE))


if __name__ == "__main__":
    main()
