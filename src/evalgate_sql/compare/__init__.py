"""Equality of two results: exact cells, tolerant floats, rows as multiset or sequence. Knows no engine and no SQL."""
