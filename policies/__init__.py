"""The shipped policies, as data. The package exists so that wheels and editable installs carry them."""
