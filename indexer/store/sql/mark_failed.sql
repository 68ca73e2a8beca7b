-- A repo that could not be read keeps its rows and is marked.
UPDATE repo SET status = 'failed', failed_reason = $reason WHERE name = $repo
