"""The parent side of execution: starts fork servers, owns the wall clock, turns what happened into verdicts."""
