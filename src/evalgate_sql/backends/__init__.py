"""The database engines, each behind the protocol in `base`. Only the worker imports them."""
