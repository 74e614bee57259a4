"""Compiled by setup.py: cffi's view of combgpu.h."""

from typing import Any

ffi: Any
lib: Any
