"""Bytes → page value + findings. Pure: no files, no neighbours, no names."""
