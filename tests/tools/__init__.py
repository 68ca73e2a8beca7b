"""What the tests share: inputs to write, the command to run, outputs to read. Nothing here asserts."""
