"""Equality of two results: exact cells, tolerant floats, rows as a multiset or a sequence. Knows no engine and no SQL."""
