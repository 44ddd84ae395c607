"""Compile: from a model to an artifact. Start reading at `pipeline.py`, then `driver.py`."""
