"""Session logs of the DeepSeek Harness: every generation of its files, and their library."""
