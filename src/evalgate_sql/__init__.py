"""Check text-to-SQL execution accuracy on a bounded, read-only fixture database.

The package imports nothing when it is imported: the worker's child processes load it too, and every module
they do not need costs each of them memory.
"""

__version__ = "0.1.0"
