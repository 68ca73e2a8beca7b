"""Changes to repositories: made as commits of our own, on top of what was read, never by force. Nothing here renders a page."""
