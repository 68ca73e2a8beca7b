"""The `brain` command: one module per command, wiring only. Arguments in, exit code out."""
