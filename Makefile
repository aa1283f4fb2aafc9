# Makefile of qbix. Needs GNU make; works without ./configure, which only writes config.mk
# and config.h. Files are found by wildcard: adding one needs no edit here.
#
#   make                    libqbix, libbgzf_writer, the program qbix and its links
#   make check              all tests of what is built
#   make bench-programs     the programs of bench/
#   make asan-check         unit tests under AddressSanitizer and UBSan, in build/asan
#   make tsan-check         unit tests that start threads under ThreadSanitizer, in build/tsan
#   make fuzz               a minute of libFuzzer on damaged indexes (clang++), in build/fuzz
#   make install DESTDIR=   programs, man pages, headers, libraries, pkg-config files
#
# CPPFLAGS, CXXFLAGS, LDFLAGS and LIBS belong to the user; the project's own flags are in
# ALL_*. BUILD=DIR puts objects and products in DIR.

all: all-products

# ---- names ---------------------------------------------------------------------------

# Names by which the one program is also installed; each acts as the subcommand it names.
QBIX_LINKS = qbix-index qbix-view qbix-get qbix-check qbix-stats qbix-show qbix-write qbix-digest

# Unit tests that start threads: what tsan-check builds and runs.
THREADED_TESTS = $(patsubst %,test/unit/test_%.cpp,bam_scan row_sorter record_pipeline \
    index_bytes qbi_writer qbx_file qbx_names_writer bgzfw_c_api bgzfw_errors bgzfw_hook \
    bgzfw_htslib bgzfw_streams)
# Takes 17 seconds there, and is as threaded as its neighbours.
SLOW_THREADED = test_qbx_names_writer/a_long_group_is_written_as_it_grows

SOVERSION = 0

B := $(if $(BUILD),$(BUILD)/)

# ---- what the user may set (config.mk overrides, the command line overrides both) -----

prefix      ?= /usr/local
exec_prefix ?= $(prefix)
bindir      ?= $(exec_prefix)/bin
libdir      ?= $(exec_prefix)/lib
includedir  ?= $(prefix)/include
datarootdir ?= $(prefix)/share
mandir      ?= $(datarootdir)/man
pkgconfigdir ?= $(libdir)/pkgconfig

RANLIB   ?= ranlib
CXXFLAGS ?= -g -O2 -Wall -Wextra
# For the code of the unit tests alone: optimising it takes longer than running it.
TEST_CXXFLAGS ?= -g1 -O0

include config.mk

# ---- dependencies --------------------------------------------------------------------
#
# xxHash is used as a header: its code is inlined where names are hashed.

ifneq ($(HTSDIR),)
include $(HTSDIR)/htslib.mk
include $(HTSDIR)/htslib_static.mk
HTSLIB_CPPFLAGS = -I$(HTSDIR)
HTSLIB_ARCHIVE  = $(HTSDIR)/libhts.a
HTSLIB_LIB      = $(HTSLIB_ARCHIVE) $(HTSLIB_static_LDFLAGS) $(HTSLIB_static_LIBS)
HTSLIB_DLL      = $(HTSDIR)/libhts.$(if $(filter Darwin,$(PLATFORM)),dylib,so)
HTSLIB_DLL_LIB  = -L$(HTSDIR) -lhts
else
HTSLIB_LIB      = $(HTSLIB_LDFLAGS) -lhts
HTSLIB_DLL_LIB  = $(HTSLIB_LIB)
endif

QBIX_LIBS     = -ldeflate -lz
BGZFW_LIBS    = $(BGZFW_DEFLATE_LIB) $(BGZFW_ISAL_LIB)
PROGRAM_LIBS  = $(BOOST_LDFLAGS) $(BOOST_PROGRAM_OPTIONS_LIB)
UNIT_LIBS     = $(BOOST_LDFLAGS) $(BOOST_UNIT_TEST_FRAMEWORK_LIB)
BENCH_LIBS    = -lbenchmark

# ---- flags ---------------------------------------------------------------------------

PLATFORM := $(shell uname -s)

# g++ 12 warns of bounds in its own std::vector that are never passed.
WERROR_FLAGS = $(if $(WERROR),-Werror -Wno-error=array-bounds)

# SANITIZE is set by the sanitizer targets only. The user's flags come last and win.
ALL_CXXFLAGS = -std=c++20 -pthread $(SANITIZE) $(WERROR_FLAGS) $(CXXFLAGS)
ALL_CPPFLAGS = $(HTSLIB_CPPFLAGS) $(BOOST_CPPFLAGS) $(CPPFLAGS)
ALL_LDFLAGS  = -pthread $(SANITIZE) $(LDFLAGS)
DEPFLAGS     = -MMD -MP
# config.h tells the backends of bgzf_writer apart. No source includes it.
CONFIG_FLAGS = -include config.h
# One set of objects serves the static and the shared library.
LIBRARY_CXXFLAGS = -fPIC -fvisibility=hidden

COMPILE = $(CXX) $(DEPFLAGS) $(CONFIG_FLAGS) $(ROOM_FLAGS) $(ALL_CPPFLAGS) $(ALL_CXXFLAGS)
LINK    = $(CXX) $(ALL_CXXFLAGS) $(ALL_LDFLAGS)

# ---- files ---------------------------------------------------------------------------

LIB_CPP   := $(wildcard lib/*.cpp)
SRC_CPP   := $(wildcard src/*.cpp)
BGZFW_CPP := $(wildcard bgzf_writer/*.cpp)
UNIT_CPP  := $(wildcard test/unit/test_*.cpp)
UNIT_SUPPORT_CPP := $(filter-out test/unit/test_%,$(wildcard test/unit/*.cpp))
BENCH_CPP := $(wildcard bench/*.cpp)
FUZZ_CPP  := $(wildcard test/fuzz/*.cpp)

# The file with main() stays out of the archive that the unit tests link.
main_function := '^int main('
SRC_MAIN_CPP := $(if $(SRC_CPP),$(shell grep -l $(main_function) $(SRC_CPP)))
SRC_REST_CPP := $(filter-out $(SRC_MAIN_CPP),$(SRC_CPP))

objects = $(patsubst %.cpp,$(B)%.o,$(1))

LIB_OBJ   := $(call objects,$(LIB_CPP))
BGZFW_OBJ := $(call objects,$(BGZFW_CPP))
SRC_OBJ   := $(call objects,$(SRC_REST_CPP))
MAIN_OBJ  := $(call objects,$(SRC_MAIN_CPP))
UNIT_OBJ  := $(call objects,$(UNIT_CPP) $(UNIT_SUPPORT_CPP))
BENCH_OBJ := $(call objects,$(BENCH_CPP))
FUZZ_OBJ  := $(call objects,$(FUZZ_CPP))
BENCH_PROGRAMS := $(BENCH_CPP:%.cpp=$(B)%)
FUZZ_PROGRAMS := $(FUZZ_CPP:%.cpp=$(B)%)
UNIT_TESTS := $(if $(UNIT_CPP),$(B)test/unit/unit_tests)

ALL_OBJ := $(LIB_OBJ) $(BGZFW_OBJ) $(SRC_OBJ) $(MAIN_OBJ) $(UNIT_OBJ) $(BENCH_OBJ) $(FUZZ_OBJ)

STATIC_LIBS := $(if $(LIB_CPP),$(B)libqbix.a) $(if $(BGZFW_CPP),$(B)libbgzf_writer.a)
ifeq ($(PLATFORM),Darwin)
SHARED_LINK = $(B)lib$(1).dylib
SHARED_FILE = $(B)lib$(1).$(SOVERSION).dylib
SONAME_FLAGS = -dynamiclib -install_name $(libdir)/lib$(1).$(SOVERSION).dylib
else
SHARED_LINK = $(B)lib$(1).so
SHARED_FILE = $(B)lib$(1).so.$(SOVERSION)
SONAME_FLAGS = -shared -Wl,-soname,lib$(1).so.$(SOVERSION)
endif
SHARED_LIBS := $(if $(LIB_CPP),$(call SHARED_FILE,qbix)) \
               $(if $(BGZFW_CPP),$(call SHARED_FILE,bgzf_writer))
PROGRAMS := $(if $(MAIN_OBJ),$(B)qbix $(addprefix $(B),$(QBIX_LINKS)))

all-products: $(STATIC_LIBS) $(SHARED_LIBS) $(PROGRAMS)

programs: $(PROGRAMS)

# ---- configuration headers -----------------------------------------------------------

config.mk: config.mk.in
	@if [ -x ./config.status ]; then ./config.status --file=$@; else \
	sed -e '/^prefix /,/^LIBS /d' \
	    -e 's/@BOOST_PROGRAM_OPTIONS_LIB@/-lboost_program_options/' \
	    -e 's/@BOOST_UNIT_TEST_FRAMEWORK_LIB@/-lboost_unit_test_framework/' \
	    -e 's/@BGZFW_HTSLIB@/yes/' -e 's/@BGZFW_DEFLATE_LIB@/-ldeflate/' \
	    -e 's/@[A-Za-z_]*@//g' config.mk.in > $@.tmp && mv $@.tmp $@; fi

config.h:
	@printf '%s\n' '/* The defaults of a plain "make"; ./configure writes its own. */' \
	    '#define BGZFW_WITH_HTSLIB 1' \
	    '#define BGZFW_WITH_LIBDEFLATE 1' \
	    '#define BGZFW_WITH_ISAL 0' > $@

# Both are looked at in every run and touched only when they change.
update_if_changed = if cmp -s $@.tmp $@; then rm -f $@.tmp; else mv $@.tmp $@; fi

$(B)version.h: FORCE
	@mkdir -p $(@D)
	@printf '#define QBIX_VERSION "%s"\n' "$$(./version.sh)" > $@.tmp; $(update_if_changed)

# How the program was compiled, for "qbix version".
c_string = '\#define $(1) "$(subst ','\'',$(subst ",\",$(subst \,\\,$(strip $(2)))))"'
$(B)config_vars.h: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(call c_string,QBIX_CXX,$(CXX)) \
	    $(call c_string,QBIX_CPPFLAGS,$(CPPFLAGS)) \
	    $(call c_string,QBIX_CXXFLAGS,$(CXXFLAGS)) \
	    $(call c_string,QBIX_LDFLAGS,$(LDFLAGS)) \
	    $(call c_string,QBIX_LIBS,$(LIBS)) \
	    $(call c_string,QBIX_HTSDIR,$(HTSDIR)) > $@.tmp; $(update_if_changed)

GENERATED_HEADERS = config.h $(B)version.h $(B)config_vars.h
GENERATED_DIR = $(if $(BUILD),$(BUILD),.)

# ---- compiling -----------------------------------------------------------------------

$(B)lib/%.o:         ROOM_FLAGS = $(LIBRARY_CXXFLAGS) -Ilib -I$(GENERATED_DIR)
$(B)bgzf_writer/%.o: ROOM_FLAGS = $(LIBRARY_CXXFLAGS) -Ibgzf_writer
$(B)src/%.o:         ROOM_FLAGS = -Ilib -Ibgzf_writer -I$(GENERATED_DIR)
$(B)test/unit/%.o:   ROOM_FLAGS = -Ilib -Isrc -Ibgzf_writer -I$(GENERATED_DIR) \
                                  -DBOOST_TEST_DYN_LINK=
$(B)test/unit/%.o:   ALL_CXXFLAGS += $(TEST_CXXFLAGS)
$(B)test/fuzz/%.o:   ROOM_FLAGS = -Ilib -I$(GENERATED_DIR)
$(B)bench/%.o:       ROOM_FLAGS = -Ilib -Isrc -Ibgzf_writer -I$(GENERATED_DIR)

$(ALL_OBJ): $(B)%.o: %.cpp config.mk | $(GENERATED_HEADERS)
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

-include $(ALL_OBJ:.o=.d)

# ---- libraries -----------------------------------------------------------------------

ARCHIVE = rm -f $@ && $(AR) rc $@ $^ && $(RANLIB) $@

$(B)libqbix.a: $(LIB_OBJ)
	$(ARCHIVE)

$(B)libbgzf_writer.a: $(BGZFW_OBJ)
	$(ARCHIVE)

# All of src/ but main(): the unit tests link it. Never installed.
$(B)src/libcommands.a: $(SRC_OBJ)
	$(ARCHIVE)

$(call SHARED_FILE,qbix): $(LIB_OBJ) | $(HTSLIB_DLL)
	$(LINK) $(call SONAME_FLAGS,qbix) -o $@ $(LIB_OBJ) $(HTSLIB_DLL_LIB) $(QBIX_LIBS) $(LIBS)

$(call SHARED_FILE,bgzf_writer): $(BGZFW_OBJ) | $(HTSLIB_DLL)
	$(LINK) $(call SONAME_FLAGS,bgzf_writer) -o $@ $(BGZFW_OBJ) \
	    $(if $(BGZFW_HTSLIB),$(HTSLIB_DLL_LIB)) $(BGZFW_LIBS) $(LIBS)

# ---- programs ------------------------------------------------------------------------

OUR_ARCHIVES = $(STATIC_LIBS) $(HTSLIB_ARCHIVE)
COMMON_LIBS  = $(STATIC_LIBS) $(HTSLIB_LIB) $(QBIX_LIBS) $(BGZFW_LIBS)
COMMANDS     = $(if $(SRC_OBJ),$(B)src/libcommands.a)

$(B)qbix: $(MAIN_OBJ) $(COMMANDS) $(OUR_ARCHIVES)
	$(LINK) -o $@ $(MAIN_OBJ) $(COMMANDS) $(COMMON_LIBS) $(PROGRAM_LIBS) $(LIBS)

$(addprefix $(B),$(QBIX_LINKS)): $(B)qbix
	@ln -sf qbix $@

$(B)test/unit/unit_tests: $(UNIT_OBJ) $(COMMANDS) $(OUR_ARCHIVES)
	$(LINK) -o $@ $(UNIT_OBJ) $(COMMANDS) $(COMMON_LIBS) $(PROGRAM_LIBS) $(UNIT_LIBS) $(LIBS)

$(BENCH_PROGRAMS): $(B)bench/%: $(B)bench/%.o $(COMMANDS) $(OUR_ARCHIVES)
	$(LINK) -o $@ $< $(COMMANDS) $(COMMON_LIBS) $(PROGRAM_LIBS) \
	    $(if $(shell grep -l '<benchmark/benchmark.h>' bench/$*.cpp),$(BENCH_LIBS)) $(LIBS)

bench-programs: $(BENCH_PROGRAMS)

# ---- tests ---------------------------------------------------------------------------

unit-tests: $(UNIT_TESTS)

check test: all unit-tests
	+test/run-tests $(TEST_OPTS)

# The slow ones alone: sanitizers, the tarball, packaging, formatting.
check-long: all unit-tests bench-programs
	+test/run-tests --only-long

check-all: all unit-tests bench-programs
	+test/run-tests --long

# Sanitizer builds leave the normal objects alone. -O1 keeps stack traces readable. clang++,
# where it is installed, halves the time, and so both compilers see all of the code.
SANITIZER_CXX := $(or $(shell command -v clang++),$(CXX))
SANITIZER_FLAGS = CXX='$(SANITIZER_CXX)' CXXFLAGS='-g1 -O1 -Wall -Wextra'

asan-build:
	+$(MAKE) BUILD=build/asan $(SANITIZER_FLAGS) \
	    SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
	    programs unit-tests

asan-check: asan-build
	UBSAN_OPTIONS=print_stacktrace=1 build/asan/test/unit/unit_tests

tsan-build:
	+$(MAKE) BUILD=build/tsan $(SANITIZER_FLAGS) SANITIZE='-fsanitize=thread' \
	    UNIT_CPP='$(THREADED_TESTS)' unit-tests

tsan-check: tsan-build
	TSAN_OPTIONS=halt_on_error=1 build/tsan/test/unit/unit_tests $(SLOW_THREADED:%=--run_test='!%')

# The library is built for libFuzzer, too, which learns from it what an input reaches.
fuzz-build:
	+$(MAKE) BUILD=build/fuzz CXX=clang++ CXXFLAGS='-g1 -O1 -Wall -Wextra' \
	    SANITIZE='-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all \
	        -fno-omit-frame-pointer' fuzz-programs

fuzz-programs: $(FUZZ_PROGRAMS)

$(FUZZ_PROGRAMS): $(B)%: $(B)%.o $(B)libqbix.a $(HTSLIB_ARCHIVE)
	$(LINK) -fsanitize=fuzzer -o $@ $< $(B)libqbix.a $(HTSLIB_LIB) $(QBIX_LIBS) $(LIBS)

fuzz: all
	test/run-tests test/long/fuzz.test.sh

# ---- installing ----------------------------------------------------------------------

INSTALL         = install -p
INSTALL_DIR     = mkdir -p
INSTALL_DATA    = $(INSTALL) -m 644
INSTALL_PROGRAM = $(INSTALL) -m 755

D = $(DESTDIR)
QBIX_HEADERS  := $(wildcard lib/qbix/*.h lib/qbix/*.hpp)
BGZFW_HEADERS := $(wildcard bgzf_writer/bgzfw/*.h bgzf_writer/bgzfw/*.hpp)
LIBRARIES      = qbix bgzf_writer
MAN_SECTIONS   = 1 3 5

man_pages = $(wildcard man/*.$(1))
# $${prefix} and the like stay variables in the .pc file, which can then be moved.
pc_path = $(patsubst $(exec_prefix)/%,$${exec_prefix}/%,$(patsubst $(prefix)/%,$${prefix}/%,$(1)))
QBIX_REQUIRES  = htslib libdeflate zlib
BGZFW_REQUIRES = $(if $(BGZFW_HTSLIB),htslib) $(if $(BGZFW_DEFLATE_LIB),libdeflate) \
                 $(if $(BGZFW_ISAL_LIB),libisal)

# What a C compiler must be told in a static link.
CXX_RUNTIME = $(if $(filter Darwin,$(PLATFORM)),-lc++,-lstdc++)

# install_pc NAME,REQUIRES
install_pc = sed -e 's|@prefix@|$(prefix)|' -e 's|@exec_prefix@|$(call pc_path,$(exec_prefix:$(prefix)=$${prefix}))|' \
    -e 's|@libdir@|$(call pc_path,$(libdir))|' -e 's|@includedir@|$(call pc_path,$(includedir))|' \
    -e "s|@version@|$$(./version.sh)|" -e 's|@requires@|$(strip $(2))|' \
    -e 's|@libs_private@|$(strip -pthread $(CXX_RUNTIME))|' $(1).pc.in > '$(D)$(pkgconfigdir)/$(1).pc'
install_library = $(INSTALL_DATA) $(B)lib$(1).a $(call SHARED_FILE,$(1)) '$(D)$(libdir)' && \
    ln -sf $(notdir $(call SHARED_FILE,$(1))) '$(D)$(libdir)/$(notdir $(call SHARED_LINK,$(1)))'

install: all
	$(INSTALL_DIR) '$(D)$(bindir)' '$(D)$(libdir)' '$(D)$(pkgconfigdir)' \
	    '$(D)$(includedir)/qbix' '$(D)$(includedir)/bgzfw' \
	    $(MAN_SECTIONS:%='$(D)$(mandir)/man%')
	$(INSTALL_PROGRAM) $(B)qbix '$(D)$(bindir)'
	for link in $(QBIX_LINKS); do ln -sf qbix '$(D)$(bindir)'/$$link || exit 1; done
	$(INSTALL_DATA) $(QBIX_HEADERS) '$(D)$(includedir)/qbix'
	$(INSTALL_DATA) $(BGZFW_HEADERS) '$(D)$(includedir)/bgzfw'
	$(foreach section,$(MAN_SECTIONS),$(if $(call man_pages,$(section)),$(INSTALL_DATA) \
	    $(call man_pages,$(section)) '$(D)$(mandir)/man$(section)' &&)) true
	$(call install_library,qbix)
	$(call install_library,bgzf_writer)
	$(call install_pc,qbix,$(QBIX_REQUIRES))
	$(call install_pc,bgzf_writer,$(BGZFW_REQUIRES))

uninstall:
	cd '$(D)$(bindir)' && rm -f qbix $(QBIX_LINKS)
	cd '$(D)$(includedir)' && rm -f $(QBIX_HEADERS:lib/%=%) $(BGZFW_HEADERS:bgzf_writer/%=%)
	$(foreach section,$(MAN_SECTIONS),cd '$(D)$(mandir)/man$(section)' && \
	    rm -f $(notdir $(call man_pages,$(section)));) true
	cd '$(D)$(libdir)' && rm -f $(foreach name,$(LIBRARIES),lib$(name).a \
	    $(notdir $(call SHARED_FILE,$(name)) $(call SHARED_LINK,$(name))))
	cd '$(D)$(pkgconfigdir)' && rm -f $(LIBRARIES:%=%.pc)
	-rmdir '$(D)$(includedir)/qbix' '$(D)$(includedir)/bgzfw'

# ---- housekeeping --------------------------------------------------------------------

print-version:
	@./version.sh

# The release tarball: what git tracks, plus a configure, with the version written down.
# Same tree, same bytes. Runs in a clone only.
dist:
	scripts/make-dist.sh "$$(./version.sh)"

maintainer-check:
	scripts/maintainer-check.sh

format:
	git ls-files "*.cpp" "*.hpp" "*.h" | xargs clang-format -i

tags:
	ctags -R lib src bgzf_writer test bench

ROOMS = lib src bgzf_writer test/unit test/fuzz bench

testclean:
	-rm -f $(B)test/unit/unit_tests $(B)test/unit/*.o $(B)test/unit/*.d

mostlyclean: testclean
	-rm -f $(foreach room,$(ROOMS),$(B)$(room)/*.o $(B)$(room)/*.d) $(B)src/libcommands.a
	-rm -f $(B)version.h $(B)config_vars.h $(B)*.tmp

clean: mostlyclean
	-rm -f $(foreach name,$(LIBRARIES),$(B)lib$(name).a $(B)lib$(name).so.* $(B)lib$(name).*dylib)
	-rm -f $(addprefix $(B),qbix $(QBIX_LINKS)) $(BENCH_PROGRAMS) $(FUZZ_PROGRAMS) tags
	-rm -rf build

distclean: clean
	-rm -f config.mk config.h config.log config.status
	-rm -rf autom4te.cache

FORCE:

.PHONY: all all-products programs bench-programs unit-tests check test check-long check-all \
    asan-build asan-check tsan-build tsan-check fuzz-build fuzz-programs fuzz install uninstall dist \
    maintainer-check format print-version tags testclean mostlyclean clean distclean FORCE
.DELETE_ON_ERROR:
