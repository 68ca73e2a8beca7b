"""The files that pages show or link to: which of them may be published, and copying them. Called by the pipeline and `website`.

A drawing that holds a program is withheld before any page is planned, so that links to it are shown as links to a file that does not
exist.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from indexer.analysis.index import sort_findings
from indexer.model.codes import make_finding
from indexer.model.known import Known
from indexer.model.result import IndexResult
from indexer.publish.active_svg import find_active_content
from indexer.publish.release import ReleaseWriter
from indexer.publish.state import BuildState
from indexer.sources import Source


def withhold_active_svg(result: IndexResult, source: Source, last: Known) -> IndexResult:
    """Return the result without the addresses of SVG files that hold active content; each costs a finding.

    `last` is what the last run knew; a file that it has seen is not read again. The result is the same without it, but for `touched`.
    """
    drawings = [path for path in result.known.assets if path.lower().endswith(".svg")]
    verdicts = _judge(result, source, drawings, last.verdicts)
    withheld = tuple(path for path in drawings if verdicts[result.entries[path].blob])
    findings = [
        make_finding("MDN006", path, 0, f"The drawing holds {verdicts[result.entries[path].blob]}; it is not published.")
        for path in withheld
    ]
    return replace(
        result,
        addresses={path: address for path, address in result.addresses.items() if path not in withheld} if withheld else result.addresses,
        findings=sort_findings((*result.findings, *findings)) if findings else result.findings,
        known=replace(result.known, verdicts=verdicts, withheld=withheld),
        touched=_touch_users(result, set(withheld) ^ set(last.withheld)),
    )


def _judge(result: IndexResult, source: Source, drawings: list[str], known: Mapping[str, str]) -> dict[str, str]:
    """Return blob → what it holds that may not be published, empty for nothing."""
    blobs = {result.entries[path].blob: result.entries[path] for path in drawings}
    verdicts = {blob: known[blob] for blob in blobs if blob in known}
    unseen = [entry for blob, entry in blobs.items() if blob not in verdicts]
    verdicts.update((entry.blob, find_active_content(data)) for entry, data in source.read(unseen))
    return verdicts


def _touch_users(result: IndexResult, changed: set[str]) -> frozenset[str] | None:
    """Pages that show or link to a file that is withheld now and was not, or the other way round, have changed too."""
    if result.touched is None or not changed:
        return result.touched
    users = {path for path, targets in result.targets.items() if any(target.path in changed for target in targets)}
    return result.touched | users


def write_attachments(result: IndexResult, source: Source, state: BuildState, writer: ReleaseWriter) -> dict[str, str]:
    """Copy the files that published pages use; return them with their blob ids."""
    copied: dict[str, str] = {}
    missing: list[str] = []
    for path, address in result.addresses.items():
        if path in result.pages or path.endswith("/"):
            continue
        copied[address.file] = result.entries[path].blob
        if state.sources.get(address.file) != copied[address.file]:
            missing.append(path)
    for entry, content in source.read([result.entries[path] for path in missing]):
        writer.write(result.addresses[entry.path].file, content)
    return copied
