"""The shipped example as data: a small SQLite fixture and a case file. See `tools/build_demo.py`."""
