"""The index: one DuckDB file per tenant with everything its repos hold. The pipeline writes it, every door reads it.

The file belongs to the owner side: hidden pages are in its tables, so it is never published or served. The views and the named
queries of `read` leave hidden pages out.
"""
