"""Pure functions on values: link resolution, graph, addresses, findings about links."""
