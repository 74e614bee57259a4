"""Builds combgpu._combgpu: the library and cffi's glue, as one module for the stable interface of CPython 3.9 on.

In the repository on Linux, make compiles the library (or has done so). Elsewhere, and where one of these variables says
how, it is compiled here, from the repository's files or the sdist's copies: CC; CFLAGS, which replaces -O3;
COMBGPU_BACKENDS=auto, or a list of cpu, opencl, cuda: auto takes OpenCL, which is loaded when a program asks for it, and
CUDA if there are nvcc and a GPU; NVCC, NVCCFLAGS (-arch=native). COMBGPU_MODULE is a module that is there already, for
another system (wheels.sh).
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
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
           "examples/install/opencl/CL/cl.h", "examples/install/opencl/OpenCL/opencl.h", "examples/qap_bound.h"]
SOURCES += [f"examples/{path.name}" for path in (LIBRARY / "examples").glob("combgpu_*.h")]  # the command's readers
HEADER = (LIBRARY / "combgpu.h").read_text(encoding="utf-8")
VERSION = re.search(r'COMBGPU_VERSION_STRING "(.*)"', HEADER)[1]

# the interface that all later releases of CPython have, but for builds without its lock
STABLE = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import cdef  # noqa: E402  (beside this file, whose folder PEP 517 leaves out of the path)


def backends():
    asked = os.environ.get("COMBGPU_BACKENDS", "auto")
    if asked != "auto":
        return set(re.split(r"[,\s]+", asked))
    gpu = any(Path(device).exists() for device in ("/dev/nvidia0", "/dev/nvhost-gpu"))
    return {"opencl", "cuda"} if gpu and shutil.which(os.environ.get("NVCC", "nvcc")) else {"opencl"}


def made_object():
    """The library as make compiles it for all of the repository, or None."""
    own = {"CC", "CFLAGS", "COMBGPU_BACKENDS", "NVCC", "NVCCFLAGS"} & set(os.environ)
    if not IN_REPOSITORY or own or sys.platform != "linux" or "cuda" in backends() or not shutil.which("make"):
        return None
    plain = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES")}
    made = LIBRARY / "build/combgpu.o"
    return str(made) if subprocess.run(["make", "build/combgpu.o"], cwd=LIBRARY, env=plain).returncode == 0 else None


class Build(build_ext):
    """Makes the declarations, then compiles the implementation, unless make has, and cffi's glue."""

    def get_ext_filename(self, name):
        made = os.environ.get("COMBGPU_MODULE")
        return os.path.join(*name.split(".")[:-1], Path(made).name) if made else super().get_ext_filename(name)

    def build_extension(self, extension):
        if "COMBGPU_MODULE" in os.environ:
            place = Path(self.get_ext_fullpath(extension.name))
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.environ["COMBGPU_MODULE"], place)
            return
        folder = Path(self.build_temp)
        folder.mkdir(parents=True, exist_ok=True)
        # before a small combgpu_tsp.h at the top, which is not that of the command
        extension.include_dirs += [str(LIBRARY / "examples"), str(LIBRARY), str(HERE)]
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
        made = made_object()
        if made:
            extension.extra_objects += [made]
        elif "cuda" not in backends() or not self.cuda(folder, implementation, extension):
            extension.sources += [str(implementation)]
        super().build_extension(extension)

    def glue(self, folder):
        plain, preprocessed = folder / "header.c", folder / "header.i"
        plain.write_text('#include "combgpu.h"\n')
        self.compiler.preprocess(str(plain), str(preprocessed), include_dirs=[str(LIBRARY)])
        cdef.write_glue(HEADER, preprocessed.read_text(encoding="utf-8"), folder / "_combgpu.c")
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


def options():
    """Keeps setuptools' files in the repository's build folder."""
    tag = {"bdist_wheel": {"py_limited_api": "cp39"}} if STABLE else {}
    if not IN_REPOSITORY:
        return tag
    folder = LIBRARY / "build" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    return {"build": {"build_base": str(folder)}, "egg_info": {"egg_base": str(folder)}, **tag}


setup(
    version=VERSION,
    package_dir={"": "src"},
    packages=["combgpu"],
    package_data={"combgpu": ["py.typed", "_combgpu.pyi"]},
    ext_modules=[Extension("combgpu._combgpu", sources=[], py_limited_api=STABLE,
                           define_macros=[("Py_LIMITED_API", "0x03090000")] if STABLE else [])],
    cmdclass={"build_ext": Build, "build_py": BuildPackage, "sdist": SourceDistribution},
    options=options(),
)
