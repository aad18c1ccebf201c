"""The command line: one verb a file, thin. Decides nothing that a report does not say."""
