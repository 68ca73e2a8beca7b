"""Every finding code, looked up in one place. All rooms make their findings here; the handbook's page of findings is rendered from it.

`python -m indexer.model.codes PATH` writes that page. Nothing here decides whether a finding applies.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from indexer.model.declared import Declared
from indexer.model.declared_blueprints import BLUEPRINTS
from indexer.model.declared_linking import LINKING
from indexer.model.declared_reading import READING
from indexer.model.finding import Finding

CODES: Mapping[str, Declared] = MappingProxyType({declared.code: declared for declared in (*READING, *LINKING, *BLUEPRINTS)})

_GROUPS = (
    ("SRC", "Repositories and files"),
    ("FMT", "Encoding and frontmatter"),
    ("MDN", "Markdown"),
    ("LNK", "Links"),
    ("NAM", "Names and addresses"),
    ("PRV", "Hidden pages"),
    ("REL", "What belongs together"),
    ("BPR", "Blueprints and cards"),
    ("IDX", "The run itself"),
)

_INTRODUCTION = """\
---
title: Findings
summary: Every code that a finding can have, why it matters and what to do about it.
---

# Findings

A finding is one problem in the content of a repository, with a code, a severity, a file and a line. Findings never stop a build: the
page is published as well as it can be. An **error** makes `brain check` fail (see `--fail-on`), a **warning** wants a look, an
**info** is only told.

This page is rendered from the declarations in `indexer/model/`; run `python -m indexer.model.codes` with its path to write it anew.
"""


def make_finding(code: str, path: str, line: int, message: str, hint: str = "") -> Finding:
    """Return a finding with the severity of its declared code; an undeclared code is a bug of the caller (KeyError)."""
    return Finding(code=code, path=path, line=line, message=message, hint=hint, severity=CODES[code].severity)


def render_codes_page() -> str:
    """Return the handbook's page of findings as Markdown: a table, then a section per code whose anchor is the code in lower case."""
    parts = [_INTRODUCTION, "| code | severity | what was found |\n|---|---|---|"]
    grouped = [(title, [declared for code, declared in sorted(CODES.items()) if code.startswith(prefix)]) for prefix, title in _GROUPS]
    rows = [f"| [{d.code}](#{d.code.lower()}) | {d.severity} | {d.title} |" for _, group in grouped for d in group]
    parts[-1] += "\n" + "\n".join(rows) + "\n"
    for title, group in grouped:
        parts.append(f"## {title}\n")
        parts.extend(_render_section(declared) for declared in group)
    return "\n".join(parts)


def _render_section(declared: Declared) -> str:
    return (
        f"### {declared.code}\n\n**{declared.title}** ({declared.severity})\n\n{declared.why}\n\n"
        f"**What to do:** {declared.fix}\n\n{_fence(declared.example)}\n"
    )


def _fence(example: str) -> str:
    """Return the example as a code block whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall("`+", example)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{example}\n{fence}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m indexer.model.codes PATH")
    Path(sys.argv[1]).write_text(render_codes_page(), encoding="utf-8", newline="\n")
