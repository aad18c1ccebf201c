"""What the user declared: database URLs and the fixture files behind them."""
