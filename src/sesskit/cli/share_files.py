"""Files of one session, put on the disk as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from sesskit.artifacts.share import Shared
from sesskit.cli.targets import make_folder
from sesskit.cli.writes import writing
from sesskit.records.files import sync_folder, write_atomic

__all__ = ["put_files"]

Undo = Callable[[], None]


def put_files(base: Path, files: Sequence[Shared], *, overwrite: bool) -> Undo:
    """Write the files of a session below a folder, the main one last; gives what undoes it.

    A new folder comes to be at once, with all that is in it.
    """
    if len(files) > 1 and not os.path.lexists(base):
        return _new_folder(base, files)
    return _into(base, files, overwrite=overwrite)


def _new_folder(base: Path, files: Sequence[Shared]) -> Undo:
    """Make a folder with files in it; there is nothing of its name until they are whole."""
    missing = [folder for folder in base.parents if not os.path.lexists(folder)]
    with writing(str(base)):
        make_folder(str(base))
        made = tempfile.mkdtemp(prefix=f".{base.name[:100]}.", suffix=".tmp", dir=base.parent)
        stage = Path(made)
        try:
            _into(stage, files, overwrite=False)
            stage.rename(base)
            sync_folder(base.parent)
        except BaseException:
            shutil.rmtree(stage, ignore_errors=True)
            _take_back((), missing)
            raise

    def undo() -> None:
        shutil.rmtree(base, ignore_errors=True)
        _take_back((), missing)

    return undo


def _into(base: Path, files: Sequence[Shared], *, overwrite: bool) -> Undo:
    """Write files, the main one last; new ones go again where one cannot be written."""
    made: list[Path] = []
    folders: list[Path] = []
    try:
        for file in (*files[1:], files[0]):
            place = base / file.name
            new = not os.path.lexists(place)
            folders += [folder for folder in place.parents if not os.path.lexists(folder)]
            with writing(str(place)):
                make_folder(str(place))
                made += [place] if new else []
                write_atomic(place, file.data, overwrite=overwrite)
    except BaseException:
        _take_back(made, folders)
        raise
    return lambda: _take_back(made, folders)


def _take_back(made: Iterable[Path], folders: Iterable[Path]) -> None:
    """Remove what was made, and the folders that were made for it, unless something is in them."""
    with contextlib.suppress(OSError):
        for place in made:
            place.unlink(missing_ok=True)
    for folder in sorted(set(folders), key=lambda each: len(each.parts), reverse=True):
        with contextlib.suppress(OSError):
            folder.rmdir()
