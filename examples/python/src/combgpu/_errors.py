"""Exceptions: one for each failing status of the library, with the library's message."""

from __future__ import annotations

import re
from typing import Any

from ._combgpu import ffi, lib


class Error(Exception):
    """A call failed; the text names the argument, its value and the values allowed."""


class InvalidArgument(Error, ValueError):
    """An argument is invalid."""


class OutOfMemory(Error, MemoryError):
    """Host memory is too small."""


class DeviceOutOfMemory(Error, MemoryError):
    """Device memory is too small."""


class NoDevice(Error):
    """This build lacks the backend, or this machine the device."""


class DeviceError(Error):
    """The driver reported an error; the context should be closed."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written.

    result  of a search whose last checkpoint failed; else None
    """

    result: Any = None


class BadFile(Error, ValueError):
    """A file's contents are wrong."""


class WrongJob(Error, ValueError):
    """A checkpoint belongs to a job with other parameters."""


class Unsupported(Error, NotImplementedError):
    """A valid request that this version does not support."""


class WrongResult(Error):
    """Self-test: the device computed a wrong answer."""


_CLASSES = {
    lib.COMBGPU_INVALID_ARGUMENT: InvalidArgument,
    lib.COMBGPU_OUT_OF_MEMORY: OutOfMemory,
    lib.COMBGPU_DEVICE_OUT_OF_MEMORY: DeviceOutOfMemory,
    lib.COMBGPU_NO_DEVICE: NoDevice,
    lib.COMBGPU_DEVICE_ERROR: DeviceError,
    lib.COMBGPU_FILE_ERROR: FileError,
    lib.COMBGPU_BAD_FILE: BadFile,
    lib.COMBGPU_WRONG_JOB: WrongJob,
    lib.COMBGPU_UNSUPPORTED: Unsupported,
    lib.COMBGPU_WRONG_RESULT: WrongResult,
}


def text(pointer: Any) -> str:
    """A C string of the library's."""
    return str(ffi.string(pointer), "utf-8", "replace")


# Fields of C's structs whose arguments have another name in Python.
_ARGUMENTS = {"instance->n": "the number of cities", "instance->": "", "instance": "cities", "path_start": "start",
              "path_end": "end", "path_ends": "path", "shape": "path", "shard_count": "shard[1]", "shard_index": "shard[0]",
              "time_limit_s": "time_limit", "checkpoint_path": "checkpoint", "checkpoint_interval_s": "checkpoint_interval",
              "progress_interval_s": "progress_interval", "merge_paths": "merge", "merge_count": "len(merge)",
              "resume_data": "resume", "verify_share": "verify", "device_count": "len(devices)"}


def _of_python(sentence: str) -> str:
    """The library's message with Python's names of arguments."""
    def named(field: re.Match[str]) -> str:
        if field[1] == "start" and "city" in sentence:  # of tours: the first one
            return "tour"
        return _ARGUMENTS.get(field[1], field[1])

    return re.sub(r"\b(?:desc|set|run)(?:\.|->)(?:run\.|set->)?(instance->n\b|instance->|\w+)", named, sentence)


def raised(status: int, sentence: str) -> Error:
    """The exception of a failing status."""
    return _CLASSES.get(status, Error)(sentence)


def check(status: int, handle: Any) -> int:
    """Returns the status of a call on the context `handle`, or raises its exception."""
    if status >= 0:
        return status
    sentence = text(lib.combgpu_message(handle)) or text(lib.combgpu_status_string(status))
    raise raised(status, _of_python(sentence))
