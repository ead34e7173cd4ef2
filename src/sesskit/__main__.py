"""The way in: `sesskit` and `python -m sesskit`. `--version` is answered before any import."""

import sys


def main() -> int:
    """Run the command line in ``sys.argv``; the exit code."""
    if sys.argv[1:2] in (["--version"], ["-V"]):
        from sesskit._version import __version__

        sys.stdout.write(f"sesskit {__version__}\n")
        return 0
    from sesskit.cli.app import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
