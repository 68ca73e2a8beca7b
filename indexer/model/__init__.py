"""Frozen values that flow through the product, and nothing else: no I/O, no foreign library."""
