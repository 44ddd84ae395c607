"""lower-attention: attention without a cache."""
