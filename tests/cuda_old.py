"""cuda_old.py LIBNVRTC PTXAS KERNELS FOLDER ARCH: the kernels as CUDA, by NVRTC and ptxas, for one generation.

Exit status 1 with the compilers' words if one refuses; prints how many kernels were assembled.
"""
import ctypes
import re
import subprocess
import sys

INTEGERS = b"""typedef signed char int8_t; typedef unsigned char uint8_t;
typedef short int16_t; typedef unsigned short uint16_t; typedef int int32_t; typedef unsigned uint32_t;
typedef long long int64_t; typedef unsigned long long uint64_t;
"""


def main():
    library, ptxas, kernels, folder, arch = sys.argv[1:]
    nvrtc = ctypes.CDLL(library)
    with open(kernels, "rb") as file:
        text = file.read()
    # NVRTC drops what is static and not called
    text = re.sub(rb"(?m)^(#define COMBGPU__KERNEL )static ", rb"\1", text)
    text = re.sub(rb"(?m)^( +)static (__global__ void __launch_bounds__)", rb"\1\2", text)
    names = sorted(set(re.findall(rb"COMBGPU__HAS_[A-Z0-9]+", text)))
    searches = b"".join(b"#define %s 1\n" % name for name in names)
    text = b"#define COMBGPU__IMPLEMENTED 1\n#define __asm__ asm\n" + searches + text
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"kernels.cu", 1, (ctypes.c_char_p * 1)(INTEGERS),
                             (ctypes.c_char_p * 1)(b"stdint.h"))
    options = [b"--gpu-architecture=compute_" + arch.encode(), b"-std=c++11"]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    if failed:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        sys.exit(log.value.decode())
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    path = "%s/%s" % (folder, arch)
    with open(path + ".ptx", "wb") as file:
        file.write(ptx.value)
    entries = len(re.findall(rb"\.entry ", ptx.value))
    run = subprocess.run([ptxas, "-arch=sm_" + arch, "-o", path + ".cubin", path + ".ptx"], capture_output=True,
                         text=True, check=False)
    if run.returncode or not entries:
        sys.exit(run.stdout + run.stderr + "%d kernels" % entries)
    print("%d kernels" % entries)


main()
