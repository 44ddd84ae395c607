"""Capture: a PyTorch model and its checkpoint become a torch-dialect module and a weight archive."""
