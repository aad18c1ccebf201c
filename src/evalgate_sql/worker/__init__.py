"""The bounded side: a fork server and one fresh child per case. Imports no click, pydantic or structlog."""
