"""Brainpress: repositories of Markdown knowledge in, index and websites out."""

__version__ = "0.1.0"
