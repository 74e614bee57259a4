# make install, make uninstall: the library, the command, and what other builds find them by. Included by the Makefile.
#
#   make install PREFIX=/usr/local DESTDIR= backends=auto
#
# What `make run` has compiled is not compiled again. Only ELF systems: it sets a soname and hides what is private by a
# version script.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
INSTALL ?= install

.PHONY: library install uninstall

# make takes a name with a blank for two: uninstall would remove, and install replace, other files. fill_in gives
# sed the names, which takes these signs for more than themselves
astray := $(strip $(foreach name,PREFIX BINDIR LIBDIR INCLUDEDIR DATADIR,\
    $(if $(strip $(filter-out /%,$($(name)))$(word 2,$($(name))) $(foreach sign,& \ | ',$(findstring $(sign),$($(name))))),\
    $(name))))
ifneq (,$(and $(astray),$(filter install uninstall,$(MAKECMDGOALS))))
    $(error $(firstword $(astray)) is "$($(firstword $(astray)))"; it may be an absolute path without blanks, & \ | and ')
endif

version := $(shell sed -n '/^.define COMBGPU_VERSION_STRING/{s/.*"\(.*\)"/\1/p;q;}' combgpu.h)
# until 1.0 a new minor version may change structs
soname := libcombgpu.so.$(if $(filter 0.%,$(version)),$(basename $(version)),$(firstword $(subst ., ,$(version))))
shared_library := libcombgpu.so.$(version)
packaging := examples/install
package := $(out)/install

# ---- the library

ifneq (,$(filter cuda,$(parts)))
    library_link = $(NVCC) -shared $(addprefix -Xlinker ,-soname $(soname) --version-script $(package)/exports)
    cuda_folder = $(patsubst %/bin/,%,$(dir $(realpath $(shell command -v $(NVCC)))))
    library_needs = -L$(firstword $(wildcard $(cuda_folder)/lib64) $(cuda_folder)/lib) -lcudart_static -lrt -lstdc++
else
    library_link = $(CC) -shared -Wl,-soname,$(soname),--version-script,$(package)/exports,-z,defs $(threads_flag)
endif
# what a program that takes the static library must link with
library_needs += -lpthread $(if $(filter opencl,$(parts)),-ldl)

# the object of all programs, in which only what the header declares is left visible
$(package)/combgpu.o: $(implementation)
	@mkdir -p $(@D)
	objcopy -w --keep-global-symbol='combgpu_[!_]*' $< $@

$(package)/libcombgpu.a: $(package)/combgpu.o
	rm -f $@
	$(AR) rcs $@ $<

$(package)/$(shared_library): $(package)/combgpu.o
	@echo '{ global: combgpu_[!_]*; local: *; };' >$(package)/exports
	$(library_link) $(LDFLAGS) $< -o $@ $(filter-out -f%,$(library_needs)) $(LDLIBS)

library: $(package)/libcombgpu.a $(package)/$(shared_library)

# ---- what other builds find it by

fill_in = sed -e 's|@VERSION@|$(version)|g' -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' \
    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|g' -e 's|@SHARED_LIBRARY@|$(shared_library)|g' -e 's|@SONAME@|$(soname)|g' \
    -e 's|@NEEDS@|$(strip $(library_needs))|g' -e 's|@PARTS@|$(strip $(parts))|g'

# ---- the command, with the page and the completion that it writes itself

ifneq (,$(wildcard examples/combgpu.c))
command_files = $(BINDIR)/combgpu $(DATADIR)/man/man1/combgpu.1 $(DATADIR)/bash-completion/completions/combgpu

$(package)/combgpu.1: $(out)/examples/combgpu
	@mkdir -p $(@D)
	$< --man >$@

$(package)/combgpu.bash: $(out)/examples/combgpu
	@mkdir -p $(@D)
	$< --completion bash >$@
endif
command_built = $(if $(command_files),$(out)/examples/combgpu $(package)/combgpu.1 $(package)/combgpu.bash)

# ---- to and from their places

headers = $(library)
links = $(soname) libcombgpu.so
cmake_folder = $(LIBDIR)/cmake/combgpu
filled_in = combgpu.pc combgpuConfig.cmake combgpuConfigVersion.cmake
cmake_files = $(filter %.cmake,$(filled_in)) headers.cmake
put = $(INSTALL) -D -m
places = $(addprefix $(INCLUDEDIR)/,$(headers)) $(addprefix $(cmake_folder)/,$(cmake_files)) $(command_files) \
    $(addprefix $(LIBDIR)/,libcombgpu.a $(shared_library) $(links) pkgconfig/combgpu.pc)

install: library $(command_built)
	@for file in $(filled_in); do $(fill_in) $(packaging)/$$file.in >$(package)/$$file || exit 1; done
	@cp $(packaging)/headers.cmake $(package)/
	for file in $(headers); do $(put) 644 $$file '$(DESTDIR)$(INCLUDEDIR)'/$$file || exit 1; done
	$(put) 644 $(package)/libcombgpu.a '$(DESTDIR)$(LIBDIR)/libcombgpu.a'
	$(put) 755 $(package)/$(shared_library) '$(DESTDIR)$(LIBDIR)/$(shared_library)'
	for link in $(links); do ln -sf $(shared_library) '$(DESTDIR)$(LIBDIR)'/$$link || exit 1; done
	$(put) 644 $(package)/combgpu.pc '$(DESTDIR)$(LIBDIR)/pkgconfig/combgpu.pc'
	for file in $(cmake_files); do $(put) 644 $(package)/$$file '$(DESTDIR)$(cmake_folder)'/$$file || exit 1; done
ifneq (,$(wildcard examples/combgpu.c))
	$(put) 755 $(out)/examples/combgpu '$(DESTDIR)$(word 1,$(command_files))'
	$(put) 644 $(package)/combgpu.1 '$(DESTDIR)$(word 2,$(command_files))'
	$(put) 644 $(package)/combgpu.bash '$(DESTDIR)$(word 3,$(command_files))'
endif

# removes the files; of the folders only the one that is combgpu's alone
uninstall:
	rm -f $(foreach place,$(places),'$(DESTDIR)$(place)')
	[ ! -d '$(DESTDIR)$(cmake_folder)' ] || rmdir '$(DESTDIR)$(cmake_folder)'
