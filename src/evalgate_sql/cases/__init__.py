"""Case files: `read` bounds the bytes and counts the lines, `record` turns one line into a case."""
