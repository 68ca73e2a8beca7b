"""searchBrain: lines of a brain's pages that hold some words, as plain text (SPEC S10). Called by `tools`.

Each brain is searched by itself, text against text: there is no index that several readers share, so nothing can leak through it.
"""

from collections.abc import Iterator

from indexer.model.blueprint import Brain
from indexer.model.index import PageRow
from indexer.publish.visible import clean_line, clean_text
from indexer.serve.tool_arguments import SearchBrain
from indexer.serve.tool_error import ToolError
from indexer.serve.tool_results import Hit, SearchBrainResult
from indexer.serve.tool_text import cut_around, fold_text
from indexer.serve.view import View

MOST_RESULTS = 40
LONGEST_SNIPPET = 200
MOST_CHARACTERS = 64 * 1024 * 1024
"""Characters that one call reads at most."""


def search_brain(view: View, arguments: SearchBrain) -> SearchBrainResult:
    """Return the lines that hold the query, brain by brain: first of its documents, then of its other pages."""
    words = fold_text(clean_line(arguments.query)).strip()
    if not words:
        raise ToolError("The query is empty. Give a word, or a few words as they stand in one line.")
    brain = view.get_brain(arguments.brain)
    searched = [brain, *(view.list_parents(brain) if arguments.includeParents else ())]
    results: list[Hit] = []
    truncated = False
    for hit in _find_hits(view, searched, words):
        if hit is None or len(results) == MOST_RESULTS:
            truncated = True
            break
        results.append(hit)
    return {"searched": [each.id for each in searched], "results": results, "truncated": truncated}


def _find_hits(view: View, searched: list[Brain], words: str) -> Iterator[Hit | None]:
    """Yield hits in order; None once one call has read as much as it may."""
    characters = 0
    for brain in searched:
        for page, title in _list_pages(view, brain):
            text = view.library.read_text(brain.repo, page)
            if text is None:  # the site is being replaced; the page is there again in a moment
                continue
            characters += len(text)
            if characters > MOST_CHARACTERS:
                yield None
                return
            for line, snippet in find_lines(text, words):
                yield {"brain": brain.id, "title": title, "path": f"{brain.repo}/{page.path}", "line": line, "snippet": snippet}


def _list_pages(view: View, brain: Brain) -> Iterator[tuple[PageRow, str]]:
    """Yield the brain's pages and their titles: documents in the order of the blueprint, then the others by path."""
    pages = {page.path: page for page in view.index.fetch_brain_pages(brain.repo, brain.folder)}
    for document in brain.documents:
        page = pages.pop(document.page, None)
        if page is not None:
            yield page, clean_line(document.plan.title)
    for page in pages.values():
        yield page, clean_line(page.title)


def find_lines(text: str, words: str) -> Iterator[tuple[int, str]]:
    """Yield number and snippet of each line that holds the folded words."""
    text = clean_text(text)
    folded = fold_text(text)
    if words not in folded:
        return
    lines = text.split("\n")
    for number, line in enumerate(folded.split("\n"), 1):
        if words in line:
            yield number, cut_around(clean_line(lines[number - 1]), words, LONGEST_SNIPPET)
