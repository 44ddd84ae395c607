"""The paged KV cache: who owns which block, and the tables the program reads."""
