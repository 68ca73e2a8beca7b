"""Tenants, accounts, memberships, repos, grants, keys and sessions, and the one decision on who may do what."""
