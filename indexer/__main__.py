"""`python -m indexer` is the `brain` command."""

from indexer.cli.main import main

if __name__ == "__main__":
    main()
