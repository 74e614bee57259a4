"""What can go wrong: one exception for each failing status of the library, with the library's sentence."""

from __future__ import annotations

from typing import Any

from ._combgpu import ffi, lib


class Error(Exception):
    """A call failed; its text says which argument, its value and what it may be."""


class InvalidArgument(Error, ValueError):
    """An argument is not what it may be."""


class OutOfMemory(Error, MemoryError):
    """There is too little host memory."""


class DeviceOutOfMemory(Error, MemoryError):
    """There is too little memory on the device."""


class NoDevice(Error):
    """This build has no such backend, or this machine no such device."""


class DeviceError(Error):
    """The driver reported an error; the context should be closed."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written.

    result  of a search whose last checkpoint could not be written; else None
    """

    result: Any = None


class BadFile(Error, ValueError):
    """A file's contents are wrong."""


class WrongJob(Error, ValueError):
    """A checkpoint belongs to a job with other parameters."""


class Unsupported(Error, NotImplementedError):
    """A valid request beyond what this version does."""


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


def check(status: int, handle: Any) -> int:
    """Returns the status of a call on the context `handle`, or raises what it means."""
    if status >= 0:
        return status
    sentence = text(lib.combgpu_message(handle)) or text(lib.combgpu_status_string(status))
    raise _CLASSES.get(status, Error)(sentence)
