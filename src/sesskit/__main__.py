"""The way in: `sesskit` and `python -m sesskit`. `--version` is answered before any import."""

import sys

TYPE_CHECKING = False  # as in typing, whose import would be most of what `--version` costs
if TYPE_CHECKING:
    from types import FrameType

signal = __import__("_signal")
"""Built into the interpreter; to import `signal` takes long enough to be interrupted meanwhile."""

INTERRUPTED = 130
_SOON = 0.005
"""Seconds until an interruption that came during an import is tried again."""


def main() -> int:
    """Run the command line in ``sys.argv``; the exit code."""
    try:
        if sys.argv[1:2] in (["--version"], ["-V"]):
            return _version()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGALRM, _interrupted)
            signal.signal(signal.SIGINT, _interrupted)
        from sesskit.cli.app import run

        code = run(sys.argv[1:])
        if signal.getsignal(signal.SIGINT) is _interrupted:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # nothing is left that could be tidied
            if any(signal.setitimer(signal.ITIMER_REAL, 0)):
                code = INTERRUPTED  # it came so late that all was done before it was tried again
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _version() -> int:
    from sesskit._version import __version__

    text = f"sesskit {__version__}\n"
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except (OSError, AttributeError):  # no room, nobody who reads, or no stream at all
        from sesskit.cli.app import Guard
        from sesskit.cli.screen import ready_streams, write

        if sys.stdout is None:
            ready_streams()
        with Guard() as guard:
            write(text)
        return guard.code
    return 0


def _interrupted(number: int, frame: "FrameType | None") -> None:
    """Raise `KeyboardInterrupt`, but never within an import: modules in C do not survive that."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, _SOON)
            return
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
