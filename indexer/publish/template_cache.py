"""The program's own templates, compiled and kept between runs as Python keeps its modules: compiling takes a twentieth of a small build.

Kept where Jinja keeps them, in a folder of this user's alone. Used by `render`. Not for the templates of MkDocs: what was compiled does not
say with which settings, and there other programs have others.
"""

import contextlib
import pickle

import jinja2
from jinja2 import BytecodeCache, FileSystemBytecodeCache
from jinja2.bccache import Bucket

from indexer import __version__

_NAMES = f"brainpress-{__version__}-{jinja2.__version__}-%s.cache"


class _TemplateCache(FileSystemBytecodeCache):
    """A cache that is no reason to fail: what cannot be read is compiled, what cannot be written is compiled again the next time."""

    def load_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError, EOFError, ValueError, pickle.UnpicklingError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            super().dump_bytecode(bucket)


def open_template_cache() -> BytecodeCache | None:
    """Return the cache; None where this user can have no folder that others cannot write to."""
    try:
        return _TemplateCache(pattern=_NAMES)
    except (RuntimeError, OSError):
        return None
