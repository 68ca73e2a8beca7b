"""Jobs on their way to the processes that write pages."""

import pickle

import pytest

from indexer.model.job import Embed, PageJob, SlotLink
from indexer.model.site import PageView, Ref, TocItem
from indexer.publish import write_pages


@pytest.mark.req("P08")
def test_a_job_arrives_in_another_process_as_it_was_sent() -> None:
    link = SlotLink("page", "b/", "title", "é", 3, 4, ambiguous=True)
    view = PageView(
        "page", "a/", "A", "", has_h1=True, toc=(TocItem("t", "i", 2),), section=(Ref("B", "b/", "note", current=True, folder=True),)
    )
    embed = Embed("blob", "c/", "C", (link,), (("tag", "t/"),), "s1", "s2", {2: Embed("deeper", "d/", "D")})
    job = PageJob(view, "a/index.html", "a/index.md", "blob", (link,), (("tag", "t/"),), {1: embed}, (("[[x]]", "x"),))
    sent = pickle.dumps(job)
    assert pickle.loads(sent) == job
    assert write_pages.__name__.encode() in sent, "sent as one value, not object by object"
