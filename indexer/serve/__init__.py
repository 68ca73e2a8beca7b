"""Everything that answers requests. The gateway comes with the access work; here is the preview of one's own folder."""
