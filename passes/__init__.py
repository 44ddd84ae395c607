"""Passes over MLIR modules, written in Python. Importing a pass module registers its pass."""
