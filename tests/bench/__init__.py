"""Measurements beside other programs, on the same pages in one run. Nothing here is a test: `make bench` runs it."""
