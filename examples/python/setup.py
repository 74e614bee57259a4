"""Builds combgpu._combgpu: the library, compiled from the repository's files (or the sdist's copies), and cffi's glue.

Environment: CFLAGS replaces -O3. COMBGPU_BACKENDS=auto, or a list of cpu, opencl, cuda: auto takes OpenCL, which is
loaded when a program asks for it, and CUDA if there are nvcc and a GPU. NVCC, NVCCFLAGS (-arch=native).
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
SDIST_COPY = HERE / "library"
IN_REPOSITORY = not SDIST_COPY.exists()
LIBRARY = HERE.parent.parent if IN_REPOSITORY else SDIST_COPY
SOURCES = ["combgpu.h", "combgpu_cl.c", "combgpu_cuda.cu", "combgpu_kernels.cl", "LICENSE",
           "examples/install/opencl/CL/cl.h", "examples/qap_bound.h"]
SOURCES += [f"examples/{path.name}" for path in (LIBRARY / "examples").glob("combgpu_*.h")]  # the command's readers
HEADER = (LIBRARY / "combgpu.h").read_text(encoding="utf-8")
VERSION = re.search(r'COMBGPU_VERSION_STRING "(.*)"', HEADER)[1]

sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import cdef  # noqa: E402  (beside this file, whose folder PEP 517 leaves out of the path)


def backends():
    asked = os.environ.get("COMBGPU_BACKENDS", "auto")
    if asked != "auto":
        return set(re.split(r"[,\s]+", asked))
    gpu = any(Path(device).exists() for device in ("/dev/nvidia0", "/dev/nvhost-gpu"))
    return {"opencl", "cuda"} if gpu and shutil.which(os.environ.get("NVCC", "nvcc")) else {"opencl"}


class Build(build_ext):
    """Makes the declarations, then compiles the implementation and cffi's glue as two files."""

    def build_extension(self, extension):
        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        extension.include_dirs += [str(LIBRARY), str(LIBRARY / "examples"), str(HERE)]
        extension.sources = [self.glue(folder), str(HERE / "read.c")]
        if os.name == "posix":
            extension.extra_compile_args += [] if "-O" in os.environ.get("CFLAGS", "") else ["-O3"]
            extension.extra_compile_args += ["-fvisibility=hidden"]
            extension.libraries += ["pthread"]
        implementation = folder / "implementation.c"
        implementation.write_text('#define COMBGPU_IMPLEMENTATION\n#include "combgpu.h"\n')
        if "opencl" in backends():
            extension.define_macros += [("COMBGPU_OPENCL", None)]
            extension.include_dirs.insert(0, str(LIBRARY / "examples/install/opencl"))
            extension.libraries += ["dl"] if os.name == "posix" else []
        if "cuda" not in backends() or not self.cuda(folder, implementation, extension):
            extension.sources += [str(implementation)]
        super().build_extension(extension)

    def glue(self, folder):
        import cffi

        plain, preprocessed = folder / "header.c", folder / "header.i"
        plain.write_text('#include "combgpu.h"\n')
        self.compiler.preprocess(str(plain), str(preprocessed), include_dirs=[str(LIBRARY)])
        ffi = cffi.FFI()
        glue = cdef.with_ends(HEADER, (HERE / "glue.c").read_text(encoding="utf-8"))
        ffi.cdef(cdef.declarations(HEADER, preprocessed.read_text(encoding="utf-8"), glue))
        includes = ['"combgpu.h"', '"qap_bound.h"', '"search.h"', "<stdlib.h>", "<string.h>"]
        ffi.set_source("combgpu._combgpu", "".join(f"#include {name}\n" for name in includes) + glue)
        ffi.emit_c_code(str(folder / "_combgpu.c"))
        return str(folder / "_combgpu.c")

    def cuda(self, folder, implementation, extension):
        """Compiles the implementation with nvcc; returns whether it did, or fails if CUDA was asked for."""
        nvcc = shutil.which(os.environ.get("NVCC", "nvcc"))
        if not nvcc:
            raise SystemExit("combgpu: COMBGPU_BACKENDS has cuda, but there is no nvcc")
        made = str(folder / "implementation_cuda.o")
        host = ["-fPIC"] + [flag for flag in extension.extra_compile_args if flag.startswith("-f")]
        command = [nvcc, "-x", "cu", "-O3", "-DCOMBGPU_CUDA", "-c", str(implementation), "-o", made]
        command += os.environ.get("NVCCFLAGS", "-arch=native").split()
        command += [part for flag in host for part in ("-Xcompiler", flag)]
        command += [f"-D{name}" for name, _ in extension.define_macros]
        command += [f"-I{path}" for path in extension.include_dirs]
        print(" ".join(command))
        asked = os.environ.get("COMBGPU_BACKENDS", "auto") != "auto"
        if subprocess.run(command, check=asked).returncode:
            print("combgpu: nvcc failed, so CUDA is left out: set NVCCFLAGS and COMBGPU_BACKENDS=cuda,opencl")
            return False
        toolkit = Path(os.path.realpath(nvcc)).parent.parent
        extension.library_dirs += [str(path) for path in (toolkit / "lib64", toolkit / "lib") if path.is_dir()]
        extension.libraries += ["cudart_static", "rt", "pthread", "dl", "stdc++"]
        extension.extra_objects += [made]
        return True


class BuildPackage(build_py):
    """Copies the header, which C functions on permutations need."""

    def run(self):
        package = Path(self.build_lib) / "combgpu"
        if getattr(self, "editable_mode", False):
            super().run()
            return
        shutil.rmtree(package, ignore_errors=True)  # an earlier build's
        super().run()
        (package / "include").mkdir(parents=True)
        shutil.copy(LIBRARY / "combgpu.h", package / "include")


class SourceDistribution(sdist):
    """Copies the repository's files."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for source in SOURCES:
            place = Path(base_dir) / "library" / source
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(LIBRARY / source, place)


def scratch():
    """Keeps setuptools' files in the repository's build folder."""
    if not IN_REPOSITORY:
        return {}
    folder = LIBRARY / "build" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    return {"build": {"build_base": str(folder)}, "egg_info": {"egg_base": str(folder)}}


setup(
    version=VERSION,
    package_dir={"": "src"},
    packages=["combgpu"],
    package_data={"combgpu": ["py.typed", "_combgpu.pyi"]},
    ext_modules=[Extension("combgpu._combgpu", sources=[])],
    cmdclass={"build_ext": Build, "build_py": BuildPackage, "sdist": SourceDistribution},
    options=scratch(),
)
