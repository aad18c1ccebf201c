"""What SQL may do: `load` reads the policy data in the parent, the rest enforces it in the worker."""
