"""Messages between the supervisor and the worker: JSON in length-prefixed frames, never pickle."""
