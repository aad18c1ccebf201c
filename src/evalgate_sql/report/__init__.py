"""What a run came to: counted, judged, kept within its budget and written. Knows no engine and no process."""
