"""A whole site as values instead of files: for plain `mkdocs serve`. Called by the pipeline."""

from msgspec.structs import replace

from indexer.model.result import IndexResult
from indexer.model.site import SiteContent
from indexer.publish.explorer import render_explorer
from indexer.publish.explorer_picture import Picture
from indexer.publish.fill import fill_content
from indexer.publish.listings import make_site_view
from indexer.publish.render import root_of
from indexer.publish.sections import Sections
from indexer.publish.website import plan_site, render_feeds, shared_view
from indexer.publish.write_pages import collect_blobs, render_twin
from indexer.sources import Source
from indexer.store.page_cache import PageCache


def make_content(result: IndexResult, source: Source, cache: PageCache) -> SiteContent:
    """Return every page with its finished content, and every other file of the site."""
    sections = Sections(result)
    plan = plan_site(result, make_site_view(result, sections), sections)
    pages, files = [], {**render_feeds(result, ""), **render_explorer(result, sections, Picture())[1]}
    for job in plan.jobs:
        view = job.view
        if job.blob:
            bodies = cache.load_bodies(collect_blobs([job]))
            content = fill_content(bodies[job.blob].html, job.links, job.tags, job.embeds, bodies, root_of(view.url))
            view = replace(view, content=content)
            files[job.twin] = render_twin(bodies[job.blob], job)
        pages.append(view)
    attached = [path for path in result.addresses if path not in result.pages and not path.endswith("/")]
    for entry, data in source.read([result.entries[path] for path in attached]):
        files[result.addresses[entry.path].file] = data
    return SiteContent(shared_view(plan.site), tuple(pages), files)
