"""The rules of this repository's layout: each takes a tree's root and returns what breaks it, a line each."""
