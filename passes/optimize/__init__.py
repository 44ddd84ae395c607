"""Passes of the phase 'optimize'."""
