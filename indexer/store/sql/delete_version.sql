DELETE FROM index_version
