"""`404.html`: what a static host shows at every address where there is nothing. Called by `indexer.publish.website`; pure.

It appears at addresses of any depth, so nothing in it may depend on its own: all addresses begin at the root of the host. It is the same
for everybody and names nothing of the site but its top level, as every page does. The gateway has an answer of its own and never shows it.
"""

import re
from urllib.parse import quote, urlsplit

from indexer.model.site import PageView, SiteView
from indexer.publish.frames import FrameSet
from indexer.publish.render import page_environment, render_page

NOT_FOUND = "404.html"
_RELATIVE = re.compile(rb'((?:href|src|content)=")(?:\./|(?=_/))')


def render_not_found(frames: FrameSet, site: SiteView, site_url: str) -> bytes:
    """Return the page. Without a `site_url`, the site is taken to lie at the root of its host."""
    base = quote(urlsplit(site_url).path, safe="/%").encode() or b"/"
    content = page_environment().get_template("not_found.html").render(root="./", site=site)
    view = PageView("not-found", "", "Not found", content, has_h1=False)
    return _RELATIVE.sub(lambda found: found[1] + base, render_page(frames, site, view))
