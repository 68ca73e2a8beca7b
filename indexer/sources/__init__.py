"""Where content comes from: git repositories and folders. The only room that starts git; nothing here parses a page.

Reading goes through `open_source`; `fetch_mirror` brings repositories from elsewhere, `read_workspace` finds the tenants of a folder.
"""

from indexer.sources.mirror import fetch_mirror
from indexer.sources.network import Credential
from indexer.sources.opening import open_source
from indexer.sources.origin import find_web_address
from indexer.sources.source import Source
from indexer.sources.workspace import TenantFolder, read_workspace

__all__ = ["Credential", "Source", "TenantFolder", "fetch_mirror", "find_web_address", "open_source", "read_workspace"]
