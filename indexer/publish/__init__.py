"""Page values become a website: frames, pages, search index, feeds, twins (SPEC P08–P12). Writes no repository, reads no registry."""
