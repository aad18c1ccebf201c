"""Frozen values that every layer above shares. Knows no file, no engine and no process."""
