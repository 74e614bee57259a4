# combgpu. Everything that is built goes to build/.
#
#   make [TARGET] [VARIABLE=VALUE ...]
#
# Targets:
#   run             build and run the show-case on the best backend present
#   check           build and run all tests; ends with "N passed, N failed, N skipped"
#   prove           the same tests under Perl's prove
#   examples        build every program of examples/
#   check-cuda      on a machine with an NVIDIA GPU: the tests on CUDA, then compute-sanitizer
#   amalgamate      make the four files at the top from src/
#   compile-matrix  compile the CUDA side for every Jetson generation that NVCC knows
#   format-check    are the sources laid out as .clang-format says?
#   clean           remove build/
#   help            this text
#
# Variables (values given here are the defaults):
#   config=release  or debug, or sanitize (address and undefined behaviour); each has its own folder
#   backends=auto   what is compiled in beside the CPU: auto takes what this machine has; or cpu, opencl,
#                   cuda, cuda,opencl
#   openmp=auto     or yes, no
#   TESTS=          run only these tests: TESTS="engine api"
#   TEST_TIMEOUT=300   seconds that one test program may take
#   CC, CXX, CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS, NVCC, NVCCFLAGS, NVCC_ARCH=native, NVCC_CCBIN=

config ?= release
backends ?= auto
openmp ?= auto
NVCC ?= nvcc
NVCC_ARCH ?= native
TEST_TIMEOUT ?= 300
SHELL = /bin/sh

out := $(if $(filter release,$(config)),build,build/$(config))
comma := ,
hash := \#
library := combgpu.h $(wildcard combgpu_cuda.cu combgpu_cl.c combgpu_kernels.cl)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: run check prove examples tests check-cuda amalgamate compile-matrix format-check clean help

help:
	@sed -n -e '/^#/!q' -e 's/^# \{0,1\}//p' Makefile

# $(call links,COMPILER,HEADER,FLAGS): does a program that includes HEADER compile and link?
links = $(shell mkdir -p build && t=$$(mktemp build/try.XXXXXX) && \
    printf '$(hash)include <%s>\nint main(void) { return 0; }\n' '$(2)' >$$t.c && \
    if $(1) $(CPPFLAGS) $$t.c -o $$t $(3) $(LDLIBS) >/dev/null 2>&1; then echo yes; fi; \
    rm -f $$t $$t.c)

# ---- what this machine can build: asked only when something is to be compiled

ifneq (,$(filter-out help clean amalgamate compile-matrix format-check check-cuda,$(MAKECMDGOALS)))

gpu_visible := $(shell { nvidia-smi -L || ls /dev/nvidia0 || ls /dev/nvhost-gpu; } 2>/dev/null | head -n 1)

ifeq ($(backends),auto)
    parts := cpu $(if $(and $(wildcard combgpu_cuda.cu),$(gpu_visible),$(shell command -v $(NVCC) \
        2>/dev/null)),cuda)
    parts += $(if $(and $(wildcard combgpu_cl.c),$(call \
        links,$(if $(filter cuda,$(parts)),$(NVCC),$(CC)),CL/cl.h,-lOpenCL)),opencl)
else
    parts := cpu $(subst $(comma), ,$(backends))
endif
ifneq (,$(filter-out cpu cuda opencl,$(parts)))
    $(error backends=$(backends): it may be auto, cpu, opencl, cuda, or cuda,opencl)
endif
ifeq ($(openmp),auto)
    openmp_flag := $(if $(call links,$(CC),omp.h,-fopenmp),-fopenmp)
else
    openmp_flag := $(if $(filter yes,$(openmp)),-fopenmp)
endif

level_release := -O3
level_debug := -O1 -g
level_sanitize := -Og -g -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all
level := $(level_$(config))
ifeq (,$(level))
    $(error config=$(config): it may be release, debug, or sanitize)
endif

defines := $(if $(filter opencl,$(parts)),-DCOMBGPU_OPENCL) $(if $(filter cuda,$(parts)),-DCOMBGPU_CUDA)
ifneq (,$(filter cuda,$(parts)))
    # -arch=native only warns, and then builds for an old GPU, when none is visible
    arch := $(if $(filter native,$(NVCC_ARCH)),$(if $(gpu_visible),native,sm_90),$(NVCC_ARCH))
    compile := $(NVCC) -x cu -arch=$(arch) -lineinfo $(filter-out -f%,$(level)) \
        $(addprefix -Xcompiler ,$(openmp_flag) $(filter -f%,$(level)) $(CFLAGS)) \
        $(if $(NVCC_CCBIN),-ccbin $(NVCC_CCBIN)) $(defines) $(CPPFLAGS) $(NVCCFLAGS)
else
    compile := $(CC) -std=c99 $(level) -Wall -Wextra $(openmp_flag) $(defines) $(CPPFLAGS) $(CFLAGS)
endif
link := $(LDFLAGS) $(if $(filter opencl,$(parts)),-lOpenCL) $(LDLIBS)

# programs are built again when the command that builds them changes
ifneq ($(strip $(compile) $(link)),$(strip $(file <$(out)/command)))
    $(shell mkdir -p $(out))
    $(file >$(out)/command,$(strip $(compile) $(link)))
endif

endif # something is to be compiled

# ---- programs

# the one with MPI is built where there is MPI; its libraries do not pass the sanitizers
no_mpi := $(if $(and $(filter-out sanitize,$(config)),$(shell command -v mpicc 2>/dev/null)),,cluster_mpi)
example_programs := $(filter-out $(out)/examples/$(no_mpi), \
    $(patsubst examples/%.c,$(out)/examples/%,$(wildcard examples/*.c)))
test_sources := $(if $(TESTS),$(wildcard $(foreach t,$(TESTS),tests/test_$(t).c tests/test_$(t).sh)), \
    $(wildcard tests/test_*.c tests/test_*.sh))
ifneq (,$(and $(TESTS),$(if $(test_sources),,none)))
    $(error TESTS=$(TESTS): there is no tests/test_NAME.c or tests/test_NAME.sh of such a name)
endif
test_programs := $(patsubst tests/%.c,$(out)/tests/%.t,$(filter %.c,$(test_sources))) \
    $(patsubst tests/%.sh,$(out)/tests/%.sh.t,$(filter %.sh,$(test_sources)))

$(out)/examples/%: examples/%.c $(library) $(wildcard examples/*.h) $(out)/command
	@mkdir -p $(@D)
	$(compile) $< -o $@ $(link)

$(out)/examples/cluster_mpi: examples/cluster_mpi.c $(library) $(wildcard examples/*.h) $(out)/command
	@mkdir -p $(@D)
	OMPI_CC='$(CC)' mpicc -std=c99 $(level) -Wall -Wextra $(openmp_flag) $(CPPFLAGS) $(CFLAGS) $< -o $@ \
	    $(LDFLAGS) $(LDLIBS)

$(out)/tests/%.t: tests/%.c $(library) $(wildcard tests/*.h) $(out)/command
	@mkdir -p $(@D)
	$(compile) $< -o $@ $(link)

$(out)/tests/%.sh.t: tests/%.sh
	@mkdir -p $(@D)
	cp $< $@ && chmod +x $@

examples: $(example_programs)
# the scripts among the tests run the examples
tests: $(test_programs) $(if $(filter %.sh,$(test_sources)),$(example_programs))

run: $(out)/examples/showcase
	$(out)/examples/showcase

# test scripts find the examples by COMBGPU_BUILD
check: tests
	@COMBGPU_BUILD=$(out) TEST_TIMEOUT=$(TEST_TIMEOUT) sh tests/run.sh $(test_programs) $(more_tests)

prove: tests
	COMBGPU_BUILD=$(out) prove -e '' $(out)/tests/

# CUDA is required; so is OpenCL where NVIDIA's is installed
check-cuda:
	COMBGPU_REQUIRE=cuda$$(ls /etc/OpenCL/vendors/*nvidia* >/dev/null 2>&1 && echo ,opencl) \
	    $(MAKE) check out=build/cuda more_tests=tests/compute_sanitizer.sh TEST_TIMEOUT=600 \
	    backends=cuda$(if $(call links,$(NVCC),CL/cl.h,-lOpenCL),$(comma)opencl)

# ---- checks that need no GPU

amalgamate:
	src/amalgamate

compile-matrix:
	@NVCC='$(NVCC)' NVCC_CCBIN='$(NVCC_CCBIN)' NVCCFLAGS='$(NVCCFLAGS)' sh tests/compile_matrix.sh

format-check:
	clang-format --dry-run --Werror $(filter-out %.cl,$(library)) $(wildcard examples/*.[ch] tests/*.[ch])

clean:
	rm -rf build
