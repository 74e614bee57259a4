from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get


class Combgpu(ConanFile):
    name = "combgpu"
    version = "@VERSION@"
    description = "Exact combinatorial search on CPU, CUDA and OpenCL"
    license = "MIT"
    topics = ("combinatorics", "travelling-salesman", "permutations", "magic-square")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    languages = "C"
    implements = ["auto_shared_fpic"]

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        CMakeToolchain(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="combgpu")

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(Path(self.package_folder) / "licenses"))
        copy(self, "combgpu.h", self.source_folder, str(Path(self.package_folder) / "include"))
        for pattern in ("*.a", "*.lib", "*.so*", "*.dylib", "*.dll"):
            copy(self, pattern, self.build_folder, str(Path(self.package_folder) / "lib"), keep_path=False)

    def package_info(self):
        self.cpp_info.libs = ["combgpu"]
        self.cpp_info.set_property("cmake_target_name", "combgpu::combgpu")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread", "dl"]
