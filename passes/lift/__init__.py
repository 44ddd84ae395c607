"""Passes of the phase 'lift'."""
