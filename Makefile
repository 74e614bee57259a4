# combgpu. All builds go to build/.
#
#   make [TARGET] [VARIABLE=VALUE ...]
#
# Targets:
#   run             build and run the demo on the best backend
#   check           build and run all tests; ends with "N passed, N failed, N skipped"
#   fuzz            fuzz all readers of untrusted input with libFuzzer, SECONDS=60 each (SEED=1)
#   oracle          compare CASES=2000 random problems with tests/oracle/oracle.py (SEED=1)
#   mutants         plant each fault of tests/mutants/table.txt: do the tests catch it? (ROOM=no3, or all: hours)
#   intervals       do the intervals of estimates contain the truth, for 200 seeds each? (minutes)
#   soak            stop, kill and resume random jobs on every device, for MINUTES=30
#   coverage        lines and branches of the library that the tests run, room by room (gcov), with the checks
#                   of config=sanitize; fails below FLOOR=0 per cent of lines
#   prove           run the same tests under Perl's prove
#   examples        build every program of examples/
#   check-cuda      on a machine with an NVIDIA GPU: its compilers are silent, the tests on CUDA, compute-sanitizer
#   platforms       other systems, machines, compilers and releases of CUDA, what takes long: before a release
#   cost            what a build costs: seconds, memory and code for each search (needs Debian's libstb-dev)
#   amalgamate      make the four files at the top from src/
#   combgpu_CALL.h  a small file for one entry point, as combgpu_tsp.h (src/searches.h lists them)
#   compile-matrix  compile the CUDA side for every Jetson generation that NVCC knows
#   format-check    check the sources' layout against .clang-format
#   web             make the browser page of examples/web: build/web/index.html (half a minute)
#   library         build the static and the shared library in build/install
#   install         install library, command, man page, pkg-config and CMake files: PREFIX=/usr/local DESTDIR=
#   uninstall       remove them again
#   wheels          Python wheels for Linux, macOS and Windows in build/wheels (a minute of one core each)
#   dist            the release's archive in build/dist: the same bytes each time
#   release-check   before a release (.github/RELEASE.md): make wheels and dist; build and test both, and the recipes
#   clean           remove build/
#   help            this text
#
# Variables (values given here are the defaults):
#   config=release  or debug, sanitize (address and undefined behaviour), coverage (sanitize, and counts
#                   lines), each in its own folder
#   backends=auto   backends besides the CPU: auto takes OpenCL, which is loaded when a program asks for a device
#                   and needs nothing to be built, and CUDA if this machine has it; or cpu, opencl, cuda, cuda,opencl
#   TESTS=          run only these tests: TESTS="engine api"
#   TEST_TIMEOUT=1200  time limit of a test program in seconds
#   TEST_JOBS=      test programs at a time; default: the number of cores
#   CC, CXX, CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS, NVCC, NVCCFLAGS, NVCC_ARCH=native, NVCC_CCBIN=

config ?= release
backends ?= auto
NVCC ?= nvcc
NVCC_ARCH ?= native
TEST_TIMEOUT ?= 1200
cores := $(shell nproc 2>/dev/null || echo 1)
TEST_JOBS ?= $(cores)
SHELL = /bin/sh

out := $(if $(filter release,$(config)),build,build/$(config))
comma := ,
hash := \#
library := combgpu.h $(wildcard combgpu_cuda.cu combgpu_cl.c combgpu_kernels.cl)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: fuzz oracle mutants intervals soak coverage run check prove examples tests check-cuda platforms amalgamate cost compile-matrix format-check web wheels dist release-check clean help

help:
	@sed -n -e '/^#/!q' -e 's/^# \{0,1\}//p' Makefile

# $(call links,COMPILER,HEADER,FLAGS): does a program that includes HEADER compile and link?
links = $(shell mkdir -p build && t=$$(mktemp build/try.XXXXXX) && \
    printf '$(hash)include <%s>\nint main(void) { return 0; }\n' '$(2)' >$$t.c && \
    if $(1) $(CPPFLAGS) $$t.c -o $$t $(3) $(LDLIBS) >/dev/null 2>&1; then echo yes; fi; \
    rm -f $$t $$t.c)

# ---- what this machine can build: asked only when something is to be compiled

ifneq (,$(filter-out fuzz oracle mutants coverage help clean amalgamate cost compile-matrix format-check check-cuda platforms web combgpu_%.h wheels dist release-check,$(MAKECMDGOALS)))

gpu_visible := $(shell { nvidia-smi -L || ls /dev/nvidia0 || ls /dev/nvhost-gpu; } 2>/dev/null | head -n 1)

ifeq ($(backends),auto)
    parts := cpu $(if $(and $(wildcard combgpu_cuda.cu),$(gpu_visible),$(shell command -v $(NVCC) \
        2>/dev/null)),cuda)
    parts += $(if $(wildcard combgpu_cl.c),opencl)
else
    parts := cpu $(subst $(comma), ,$(backends))
endif
ifneq (,$(filter-out cpu cuda opencl,$(parts)))
    $(error backends=$(backends): it may be auto, cpu, opencl, cuda, or cuda,opencl)
endif
# older C libraries have threads, and what loads OpenCL, in libraries of their own
threads_flag := $(if $(call links,$(CC),pthread.h,-pthread),-pthread)
loader_flag := $(if $(and $(filter opencl,$(parts)),$(call links,$(CC),dlfcn.h,-ldl)),-ldl)
# one object for programs, the shared library and Python's module
pic := $(if $(filter Windows_NT,$(OS)),,-fPIC)

level_release := -O3
level_debug := -O1 -g -DCOMBGPU_DEBUG
level_sanitize := -Og -g1 -DCOMBGPU_DEBUG -fsanitize=address -fsanitize=undefined -fsanitize=float-cast-overflow \
    -fno-sanitize-recover=all -fno-omit-frame-pointer
# atomic counters would make it ten times slower; a count that threads disturb is still not zero
level_coverage := $(level_sanitize) -O0 --coverage -fprofile-update=single
level := $(level_$(config))
build/coverage/combgpu.o: level += -O1 # compiled once, and run for minutes
ifeq (,$(level))
    $(error config=$(config): it may be release, debug, coverage, or sanitize)
endif

defines := $(if $(filter opencl,$(parts)),-DCOMBGPU_OPENCL -Iexamples/install/opencl) $(if $(filter cuda,$(parts)),-DCOMBGPU_CUDA)
compile_c := $(CC) -std=c99 $(level) -Wall -Wextra $(pic) $(threads_flag) $(defines) $(CPPFLAGS) $(CFLAGS)
# compile_own: what compiles the implementation
ifneq (,$(filter cuda,$(parts)))
    # -arch=native only warns, and then builds for an old GPU, when none is visible
    arch := $(if $(filter native,$(NVCC_ARCH)),$(if $(gpu_visible),native,sm_90),$(NVCC_ARCH))
    compile_own := $(NVCC) -x cu -arch=$(arch) -lineinfo $(filter-out -f%,$(level)) \
        $(addprefix -Xcompiler ,$(pic) $(threads_flag) $(filter -f%,$(level)) $(CFLAGS)) \
        $(if $(NVCC_CCBIN),-ccbin $(NVCC_CCBIN)) $(defines) $(CPPFLAGS) $(NVCCFLAGS)
else
    compile_own := $(compile_c)
endif
libraries := $(LDFLAGS) $(loader_flag) $(LDLIBS)

# programs are built again when the command that builds them changes
command := $(strip $(compile_own) $(compile_c) $(libraries))
ifneq ($(command),$(strip $(file <$(out)/command)))
    $(shell mkdir -p $(out))
    $(file >$(out)/command,$(command))
endif

endif # something is to be compiled

# ---- programs

# those with MPI are built where there is MPI; its libraries do not pass the sanitizers
mpi_programs := $(addprefix $(out)/examples/,shards_mpi combgpu_mpi)
has_mpi := $(and $(filter-out sanitize coverage,$(config)),$(shell command -v mpicc 2>/dev/null))
example_programs := $(filter-out $(mpi_programs),$(patsubst examples/%.c,$(out)/examples/%,$(wildcard examples/*.c))) \
    $(if $(has_mpi),$(mpi_programs))
test_sources := $(if $(TESTS),$(wildcard $(foreach t,$(TESTS),tests/test_$(t).c tests/test_$(t).sh)), \
    $(wildcard tests/test_*.c tests/test_*.sh))
ifneq (,$(and $(TESTS),$(if $(test_sources),,none)))
    $(error TESTS=$(TESTS): there is no tests/test_NAME.c or tests/test_NAME.sh of such a name)
endif
test_programs := $(patsubst tests/%.c,$(out)/tests/%.t,$(filter %.c,$(test_sources))) \
    $(patsubst tests/%.sh,$(out)/tests/%.sh.t,$(filter %.sh,$(test_sources)))

# The implementation is compiled once: for the examples, the tests (with what they reach of its inside), the
# libraries that are installed, and Python's module. COMBGPU__IMPLEMENTED
# keeps it out of the programs, which are plain C even beside CUDA: but for those with code for the
# device, and the tests that have an implementation of their own.
implementation := $(out)/combgpu.o
own := $(patsubst tests/%.c,$(out)/tests/%.t, \
    $(shell grep -l '^$(hash)define TEST_OWN_IMPLEMENTATION' tests/*.c))
device_code := examples/combgpu $(patsubst %.c,%,$(shell grep -lE 'COMBGPU_PERM_VISITOR|COMBGPU_PERM_SEARCH|qap_bound.h|__CUDACC__|own_kernel|searches.h' examples/*.c tests/*.c))
# $(call compile,SOURCE): an object file without the implementation
compile = $(if $(filter $(1:.c=),$(device_code)),$(compile_own),$(compile_c)) -DCOMBGPU__IMPLEMENTED -c $(1)
link = $(if $(filter cuda,$(parts)),$(NVCC) -arch=$(arch) $(if $(NVCC_CCBIN),-ccbin $(NVCC_CCBIN)) \
    $(addprefix -Xcompiler ,$(threads_flag) $(filter -f%,$(level))),$(CC) $(threads_flag) $(level) $(CFLAGS))
headers := $(wildcard combgpu.h tests/inside.h tests/test.h tests/searches.h tests/searches/*.h tests/board.h examples/*.h)

$(implementation): tests/inside.c tests/inside.h $(library) $(wildcard examples/install/opencl/*/*.h) $(out)/command
	@mkdir -p $(@D)
	@echo "The library is compiled once: at -O3 that takes about a minute."
	$(compile_own) -c $< -o $@

$(filter-out $(mpi_programs),$(example_programs)): $(out)/examples/%: examples/%.c $(implementation) $(headers)
	@mkdir -p $(@D)
	$(call compile,$<) -o $@.o
	$(link) $@.o $(implementation) -o $@ $(libraries)

# mpicc cannot link what nvcc has compiled: beside CUDA they have a CPU's implementation of their own
mpi_parts := $(if $(filter cuda,$(parts)),,-DCOMBGPU__IMPLEMENTED $(defines) $(implementation) $(libraries))
$(mpi_programs): $(out)/examples/%_mpi: $(implementation) $(library) $(wildcard examples/*.[ch])
	@mkdir -p $(@D)
	OMPI_CC='$(CC)' mpicc -std=c99 $(level) -Wall -Wextra $(threads_flag) $(CPPFLAGS) $(CFLAGS) -DCOMBGPU_MPI \
	    $(firstword $(wildcard examples/$*_mpi.c examples/$*.c)) $(mpi_parts) -o $@ $(LDFLAGS) $(LDLIBS)

# a test's own code need not be fast, but for what it visits permutations with
$(filter-out $(own) %.sh.t,$(test_programs)): $(out)/tests/%.t: tests/%.c $(implementation) $(headers)
	@mkdir -p $(@D)
	$(if $(filter $(<:.c=),$(device_code)),$(call compile,$<),$(patsubst -O3,-O1,$(call compile,$<))) -o $@.o
	$(link) $@.o $(implementation) -o $@ $(libraries)

# it runs that program on smaller devices
$(out)/tests/test_opencl_devices.sh.t: $(out)/tests/test_kernels.t

# -O1 is enough to see what an implementation does, and takes a third of the compiler's time; -O0 takes half
# of that (and of -Og with sanitizers), where a test is over in a second
brief := $(patsubst -O3,-O1 -DCOMBGPU__ONE_LEVEL,$(compile_own))
$(patsubst %,$(out)/tests/test_%.t,backend base cl_faults clock devices engine paths verify verify_fault): brief := \
    $(patsubst -Og,-O0,$(patsubst -O3,-O0,$(compile_own)))
$(filter $(own),$(test_programs)): $(out)/tests/%.t: tests/%.c $(library) $(wildcard tests/*.h tests/searches/*.h) $(out)/command
	@mkdir -p $(@D)
	$(brief) $< -o $@ $(libraries)

$(out)/tests/%.sh.t: tests/%.sh
	@mkdir -p $(@D)
	cp $< $@ && chmod +x $@

examples: $(example_programs)
# the scripts among the tests run the examples
tests: $(test_programs) $(if $(filter %.sh,$(test_sources)),$(example_programs))

run: $(out)/examples/combgpu
	$(out)/examples/combgpu demo

# Built on all cores, unless -j says how many. Test scripts find the examples by COMBGPU_BUILD; the longest
# tests come first: none should end alone.
long_tests := only.sh examples.sh python.sh contract magic_linear magic_six tsp_bnb io_faults
first_tests := $(foreach t,$(long_tests),$(filter %/test_$(t).t,$(test_programs)))
first_tests += $(filter-out $(first_tests),$(filter %.sh.t,$(test_programs)))
check:
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(cores)) tests
	@COMBGPU_BUILD=$(out) TEST_TIMEOUT=$(TEST_TIMEOUT) TEST_JOBS=$(TEST_JOBS) sh tests/run.sh \
	    $(first_tests) $(filter-out $(first_tests),$(test_programs)) $(more_tests)

prove: tests
	COMBGPU_BUILD=$(out) prove -e '' $(out)/tests/

# CUDA is required; so is OpenCL where NVIDIA's is installed. So many programs share the GPU.
GPU_TEST_JOBS ?= 4
check-cuda:
	@NVCC='$(NVCC)' COMPILERS=here sh tests/run.sh tests/compilers.sh
	COMBGPU_REQUIRE=cuda$$(ls /etc/OpenCL/vendors/*nvidia* >/dev/null 2>&1 && echo ,opencl) \
	    $(MAKE) check out=build/cuda more_tests=tests/compute_sanitizer.sh TEST_JOBS=$(GPU_TEST_JOBS) \
	    backends=cuda$(if $(call links,$(NVCC),CL/cl.h,-lOpenCL),$(comma)opencl)

# ---- checks that need no GPU

amalgamate:
	src/amalgamate

# no rule by pattern: that would make those of examples/, too
small_files := $(patsubst %,combgpu_%.h,$(shell src/amalgamate --calls 2>/dev/null))
$(small_files): combgpu_%.h: $(shell find src -type f ! -name '*.md')
	src/amalgamate --only $*

cost:
	@python3 tests/cost.py

platforms:
	@$(MAKE) --no-print-directory tests TESTS=kernels backends=opencl
	@PLATFORMS=all COMPILERS=all PLATFORM_TIMEOUT=1200 TEST_TIMEOUT=7200 sh tests/run.sh tests/compilers.sh \
	    tests/platforms_zig.sh tests/platforms.sh tests/windows.sh tests/platforms_opencl.sh tests/oclgrind.sh tests/cuda_old.sh \
	    tests/test_opencl_offline.sh tests/compile_matrix.sh tests/cpsat.sh tests/fuzz.sh
	python3 tests/mutants.py --each 2
	@$(MAKE) --no-print-directory coverage FLOOR=95 backends=opencl

compile-matrix:
	@NVCC='$(NVCC)' NVCC_CCBIN='$(NVCC_CCBIN)' NVCCFLAGS='$(NVCCFLAGS)' sh tests/compile_matrix.sh

web:
	@sh examples/web/build.sh build/web

wheels:
	@sh examples/install/wheels.sh build/wheels

dist:
	@sh examples/install/dist.sh build/dist

# half an hour: seven wheels, and the library for each recipe
release-check: wheels
	@TEST_TIMEOUT=3600 sh tests/run.sh tests/release.sh tests/wheels.sh

format-check:
	clang-format --dry-run --Werror $(library) $(wildcard examples/*.[ch] tests/*.[ch] tests/searches/*.h tests/fifth/*.h tests/fifth/*/*.[ch])

SECONDS ?= 60
SEED ?= 1
fuzz:
	SEED=$(SEED) sh tests/fuzz.sh $(SECONDS)

CASES ?= 2000
oracle:
	sh tests/oracle.sh $(CASES) $(SEED)

ROOM ?= all
mutants:
	python3 tests/mutants.py $(ROOM)

intervals: $(out)/tests/test_intervals.t
	INTERVALS=long $<

MINUTES ?= 30
soak: $(out)/examples/combgpu
	python3 tests/soak.py $< $(MINUTES) $(SEED)

# The figures come even if a test fails. What a driver keeps is no leak of ours (tests/leaks.txt).
# intercept_tls_get_addr: gcc 12's leak checker dies of the thread storage that libraries of drivers have made.
FLOOR ?= 0
coverage:
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || :
	-@COMBGPU_TEST_SMALL=1 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/leaks.txt:intercept_tls_get_addr=0 $(MAKE) check config=coverage \
	    TESTS='$(or $(TESTS),$(patsubst tests/test_%.c,%,$(wildcard tests/test_*.c)))'
	python3 tests/coverage.py build/coverage $(FLOOR)

clean:
	rm -rf build

include examples/install/install.mk
