# locksim: `make run` runs shipped scenarios, `make test` the tests; both install what they need. `make help` lists the rest.
#
# One archive per layer, linked in the order in which layers may call each other, so that an upward call does not link.
# Everything built goes below $(BUILD): `make BUILD=build/mine test` stays clear of another build in the same tree.

# CROSS=aarch64-linux-gnu- builds for that machine, with BUILD=build/arm64 or the like; unit tests run in qemu then.
BUILD    ?= build
ifeq ($(origin CC),default)
CC        = $(CROSS)gcc
endif
LD        = $(CROSS)ld
AR        = $(CROSS)ar
PKG_CONFIG = $(if $(CROSS),PKG_CONFIG_LIBDIR=/usr/lib/$(CROSS:%-=%)/pkgconfig:/usr/share/pkgconfig )pkg-config
export CC CROSS RUNNER = $(if $(CROSS),qemu-$(firstword $(subst -, ,$(CROSS)))-static)
PREFIX   ?= /usr/local
# `make DEBUG=1` for gdb, perf and valgrind: lines and names cost a sixth of the time of compiling.
CFLAGS   ?= -O2$(if $(DEBUG), -g)
# No machine may fuse a product and a sum: the numbers of a simulation are the same on all of them. (x86_64 has nothing to fuse them with.)
CSTD      = -std=c11 -D_DEFAULT_SOURCE$(if $(CROSS)$(filter-out x86_64,$(shell uname -m)), -ffp-contract=off)
WARN      = -Wall -Wextra -Wpedantic -Werror -Wstrict-prototypes -Wmissing-prototypes
INCLUDES  = -Isim -I.
# Asked for when the first file is compiled, not before: until then pkg-config itself may be missing.
LUA_CFLAGS = $(eval LUA_CFLAGS := $$(shell $(PKG_CONFIG) --cflags lua5.1))$(LUA_CFLAGS)
# cjson and bit come from Debian's static libraries, so that no module path matters at run time; so does Lua, whose calls are a tenth
# faster where they need no table of addresses.
LIBS      = -Wl,-Bstatic -llua5.1-cjson -llua5.1-bitop -llua5.1 -Wl,-Bdynamic -ljansson -lxxhash -ledit -luv -lz -lm -ldl -lpthread
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
.DELETE_ON_ERROR:
.SUFFIXES:

LAYERS    = cli walk watch mutate compare lint init judge host drive serve source report trace simulate search memo lockstep world client scenario script redis model base
sources   = $(wildcard $(if $(filter model,$(1)),model,sim/$(1))/*.c)
objects   = $(patsubst %.c,$(BUILD)/%.o,$(1))
ARCHIVES  = $(LAYERS:%=$(BUILD)/lib%.a)

# A test program is named for its kind; the other C files beside it are helpers that all of them may use.
UNIT_SOURCES        = $(wildcard tests/unit/test_*.c)
CONFORMANCE_SOURCES := $(shell grep -l '^int main' tests/conformance/*.c)
RECORDING_SOURCES   := $(shell grep -l '^int main' tests/recordings/*.c)
BENCH_SOURCES       = $(wildcard tests/bench/bench_*.c)
HELD_CLOCK          = $(BUILD)/tests/conformance/held_clock.so
FUZZ_SOURCES        = $(wildcard tests/fuzz/fuzz_*.c)
program             = $(patsubst %.c,$(BUILD)/%,$(1))
helpers             = $(filter-out $(HELD_CLOCK:$(BUILD)/%.so=%.c) $(UNIT_SOURCES) $(CONFORMANCE_SOURCES) $(RECORDING_SOURCES) $(BENCH_SOURCES),$(wildcard tests/$(1)/*.c))

PRODUCT_SOURCES = $(foreach l,$(LAYERS),$(call sources,$(l)))
ALL_SOURCES     = $(PRODUCT_SOURCES) $(call sources,lib) $(wildcard tests/unit/*.c tests/conformance/*.c tests/recordings/*.c tests/bench/*.c tests/fuzz/*.c)

.PHONY: all
all: $(BUILD)/locksim $(if $(MPI),$(BUILD)/locksim-mpi)    ## build the program: build/locksim; MPI=1: and build/locksim-mpi, whose run --mpi shares work out over ranks

# ---- what must be installed ----------------------------------------------------------------------------------------------

.PHONY: deps deps-test deps-dev deps-package FORCE
deps:                                   ## install what running needs
	@.ci/deps run
deps-test:                              ## install what the tests need
	@.ci/deps test
deps-dev:                               ## install what lint, valgrind and bench need, too
	@.ci/deps dev
deps-package:                           ## install what deb and chroot need
	@.ci/deps package

# Looked at once per build folder; one after the other, because two installations cannot run at once.
$(BUILD)/deps-run: .ci/deps
	@mkdir -p $(@D) && .ci/deps run && touch $@
$(BUILD)/deps-test: .ci/deps $(BUILD)/deps-run
	@.ci/deps test && touch $@
$(BUILD)/deps-dev: .ci/deps $(BUILD)/deps-test
	@.ci/deps dev && touch $@
$(BUILD)/deps-package: .ci/deps $(BUILD)/deps-run
	@.ci/deps package && touch $@

# ---- building ------------------------------------------------------------------------------------------------------------

# Writes the text to the target only where it differs: what depends on the target is made again exactly when the text changes.
remember = @mkdir -p $(@D); printf '%s\n' '$(1)' | cmp -s - $@ || printf '%s\n' '$(1)' > $@

# One short line per file; `make V=1` shows the commands.
say = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2); )
COMPILE = $(CC) $(CSTD) $(WARN) $(INCLUDES) $(LUA_CFLAGS) $(CPPFLAGS) $(CFLAGS)
LINK    = $(CC) $(CFLAGS) $(LDFLAGS)

$(BUILD)/flags: FORCE | $(BUILD)/deps-run
	$(call remember,$(COMPILE) $(LDFLAGS) $(LIBS))

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(COMPILE) -MMD -MP -c $< -o $@

$(call objects,$(wildcard tests/*/*.c)): | $(BUILD)/deps-test

# What runs once for each file or result, and no loop of a search waits for, is compiled in two thirds of the time. (Private: the list of
# flags, on which objects depend, would take the value over.)
UNHURRIED = $(foreach l,cli walk watch mutate compare lint init judge host report source,$(call sources,$(l))) $(wildcard tests/unit/*.c tests/conformance/*.c tests/recordings/*.c)
$(call objects,$(UNHURRIED)): private CFLAGS := $(patsubst -O2,-O1,$(CFLAGS))

# Our own Lua programs, as one blob that sim/source/host.c unpacks: for each a line `name bytes`, then its text.
PROGRAMS = $(wildcard sim/source/*.lua)
$(BUILD)/sim/source/programs.files: FORCE
	$(call remember,$(PROGRAMS))
$(BUILD)/sim/source/programs.o: $(PROGRAMS) $(BUILD)/sim/source/programs.files | $(BUILD)/deps-run
	$(call say,BLOB,$(@D))for f in $(PROGRAMS); do echo "$$(basename $$f .lua) $$(($$(wc -c < $$f)))"; cat $$f; done > $(@D)/programs && \
	cd $(@D) && $(LD) -r -b binary -z noexecstack -o programs.o programs

# What a report's page brings along, as it stands.
$(BUILD)/sim/report/page_files.o: sim/report/page.css sim/report/page.js | $(BUILD)/deps-run
	@mkdir -p $(@D)
	$(call say,BLOB,$(<D)/page)cd $(<D) && $(LD) -r -b binary -z noexecstack -o $(abspath $@) $(^F)

# An archive's list of members is remembered too: a removed or renamed source must leave it.
define archive_rule
$(BUILD)/$(1).members: FORCE
	$$(call remember,$(2))
$(BUILD)/$(1).a: $(call objects,$(2)) $(BUILD)/$(1).members | $(BUILD)/deps-run
	@rm -f $$@
	@$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach l,$(LAYERS),$(eval $(call archive_rule,lib$(l),$(call sources,$(l)) $(if $(filter source,$(l)),sim/source/programs.c) \
    $(if $(filter report,$(l)),sim/report/page_files.c))))
$(foreach k,unit conformance recordings bench,$(eval $(call archive_rule,tests/lib$(k),$(call helpers,$(k)))))

# Preloaded into driven programs, which are not ours: without our flags, which may ask for sanitizers, and with GNU's extensions, since it
# stands before functions of glibc.
DRIVE_LIBRARY = $(BUILD)/locksim_drive.so
$(DRIVE_LIBRARY): $(wildcard sim/drive/preload/*.[ch]) sim/drive/shared.h | $(BUILD)/deps-run
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CSTD) -D_GNU_SOURCE -Wall -Wextra -Werror -Wstrict-prototypes -Isim -O2 -shared -fPIC $(filter %.c,$^) -ldl -lpthread -o $@

$(BUILD)/locksim: $(ARCHIVES) | $(DRIVE_LIBRARY)
	$(call say,LINK,$@)$(LINK) $(ARCHIVES) $(LIBS) -o $@

# The library: its rooms, compiled again as code that may lie anywhere, linked to one object of which only locksim_* is seen. What
# its functions do not reach is left out, so that whatever prints or ends a program does not come along: tests/lib.sh looks.
LIB_SONAME  = liblocksim.so.0
LIB_LAYERS  = judge host report trace simulate search memo lockstep world client scenario script redis model base
LIB_HEADER  = sim/lib/locksim.h
LIB_OBJECTS = $(patsubst %.c,$(BUILD)/pic/%.o,$(call sources,lib))
LIB_ROOMS   = $(patsubst %.c,$(BUILD)/pic/%.o,$(foreach l,$(LIB_LAYERS),$(call sources,$(l))))
LIB_LIBS    = -llua5.1-cjson -llua5.1-bitop -llua5.1 -ljansson -lxxhash -lm -lpthread
OPEN        = (
LIB_NAMES   = $(shell sed -n '/^LOCKSIM_API/s/$(OPEN).*//p' $(LIB_HEADER) | grep -o 'locksim_[a-z_]*$$')
$(LIB_OBJECTS) $(LIB_ROOMS): $(BUILD)/pic/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,CC,$(@:$(BUILD)/%=%))$(COMPILE) -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -MMD -MP -c $< -o $@
$(BUILD)/liblib.a: $(LIB_OBJECTS)
	@rm -f $@
	@$(AR) rcs $@ $^
$(BUILD)/pic/librooms.a: $(LIB_ROOMS)
	@rm -f $@
	@$(AR) rcs $@ $^
$(BUILD)/pic/liblocksim.o: $(BUILD)/liblib.a $(BUILD)/pic/librooms.a $(LIB_HEADER)
	$(call say,LINK,$@)$(CC) -r -nostdlib -Wl,--gc-sections $(LIB_NAMES:%=-Wl,-u,%) $(LIB_OBJECTS) $(BUILD)/pic/librooms.a -o $@.all && \
	$(CROSS)objcopy --strip-unneeded --wildcard --keep-global-symbol='locksim_*' $@.all $@ && rm $@.all
$(BUILD)/liblocksim.a: $(BUILD)/pic/liblocksim.o
	@rm -f $@
	@$(AR) rcs $@ $^
$(BUILD)/$(LIB_SONAME): $(BUILD)/pic/liblocksim.o
	$(call say,LINK,$@)$(LINK) -shared -Wl,-soname,$(LIB_SONAME) -Wl,-z,defs -Wl,--as-needed $^ $(LIB_LIBS) -o $@
.PHONY: lib lib-test
lib-test: lib $(BUILD)/locksim                ## the library, installed, used by a project of its own, treated badly; N= texts, SEED=
	@tests/run.sh lib
lib: $(BUILD)/$(LIB_SONAME) $(BUILD)/liblocksim.a       ## build the library: build/liblocksim.so.0, build/liblocksim.a

# The same program, but that its ranks are those of an MPI job: one file is another one.
MPI_THERE  = $(eval MPI_THERE := $$(shell $(PKG_CONFIG) --exists ompi-c && echo there))$(MPI_THERE)
MPI_CFLAGS = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags ompi-c))
$(BUILD)/mpi/ranks.o: sim/host/ranks.c sim/host/ranks.h $(BUILD)/flags
	@$(if $(MPI_THERE),,echo "make: MPI=1 needs Open MPI, known to pkg-config as ompi-c (Debian: libopenmpi-dev, openmpi-bin)" >&2; exit 1)
	@mkdir -p $(@D)
	$(call say,CC,$< for MPI)$(COMPILE) -DLOCKSIM_MPI $(MPI_CFLAGS) -c $< -o $@
$(BUILD)/locksim-mpi: $(BUILD)/mpi/ranks.o $(ARCHIVES) | $(DRIVE_LIBRARY)
	$(call say,LINK,$@)$(LINK) $(BUILD)/mpi/ranks.o $(ARCHIVES) $(LIBS) $(shell $(PKG_CONFIG) --libs ompi-c) -o $@

$(call program,$(UNIT_SOURCES)): %: %.o $(BUILD)/tests/libunit.a $(ARCHIVES)
	$(call say,LINK,$@)$(LINK) $^ -lcmocka $(LIBS) -o $@
$(call program,$(CONFORMANCE_SOURCES)): %: %.o $(BUILD)/tests/libconformance.a $(ARCHIVES)
	$(call say,LINK,$@)$(LINK) $^ $(LIBS) -o $@
$(call program,$(RECORDING_SOURCES)): %: %.o $(BUILD)/tests/librecordings.a $(ARCHIVES)
	$(call say,LINK,$@)$(LINK) $^ $(LIBS) -o $@
# Preloaded into a server that is not ours: without our flags, which may ask for sanitizers.
$(HELD_CLOCK): tests/conformance/held_clock.c | $(BUILD)/deps-test
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CSTD) $(WARN) -O2 -shared -fPIC $< -o $@
$(call program,$(BENCH_SOURCES)): %: %.o $(BUILD)/tests/libbench.a $(ARCHIVES)
	$(call say,LINK,$@)$(LINK) $^ $(LIBS) -o $@

$(call program,$(FUZZ_SOURCES)): %: %.o $(ARCHIVES)
	$(call say,LINK,$@)$(LINK) -fsanitize=fuzzer $^ $(LIBS) -o $@

-include $(patsubst %.o,%.d,$(call objects,$(ALL_SOURCES)) $(LIB_OBJECTS) $(LIB_ROOMS))

# ---- running and testing -------------------------------------------------------------------------------------------------

.PHONY: run run-all test unit cli conformance conformance-all recordings recordings-anew own clients fixtures pages asan valgrind bench test-programs
run: $(BUILD)/locksim                   ## run the shipped scenarios, but for the faults, and print their verdicts
	$< run $(wildcard scenarios/seeds scenarios/museum scenarios/findings)
run-all: $(BUILD)/locksim               ## the same, every lock with work of any length, and under every fault: some minutes
	$< run $(wildcard scenarios/seeds scenarios/museum scenarios/findings scenarios/meetings scenarios/faults)

export BUILD
export LOCKSIM = $(abspath $(BUILD)/locksim)
# Scenarios with more states are left to `make run-all`, which says of each whether it came out as expected. Empty: none is.
STATES_MAX ?= 3000
export STATES_MAX

UNIT        = $(call program,$(if $(T),$(T:%=tests/unit/%.c),$(UNIT_SOURCES)))
CONFORMANCE = $(HELD_CLOCK) $(call program,$(CONFORMANCE_SOURCES))
RECORDINGS  = $(call program,$(RECORDING_SOURCES))
test: $(BUILD)/locksim lib $(if $(MPI_THERE),$(BUILD)/locksim-mpi) $(UNIT) $(CONFORMANCE) $(RECORDINGS) | $(BUILD)/deps-test     ## run all tests; the last line is `N passed, N failed`
	@tests/run.sh unit recordings same_twice cli known_bugs findings scenarios museum lock_tables fairness no_memo soundness bad_input deps install lib shown conformance
unit: $(UNIT)                           ## run the unit tests only
	@tests/run.sh unit
cli: $(BUILD)/locksim $(if $(MPI_THERE),$(BUILD)/locksim-mpi)    ## run the command line's tests only: T=help those of tests/cli/help.sh
	@$(if $(T),tests/cli/run.sh $(T),tests/run.sh cli bad_input same_twice)
conformance: $(BUILD)/locksim $(CONFORMANCE)             ## compare with a real redis-server; N=10000000 for a night, SEED=2 for another one
	@N=$(N) SEED=$(SEED) tests/run.sh conformance
recordings: $(RECORDINGS)               ## shipped scripts and drivers against what the real ones did
	@tests/run.sh recordings
recordings-anew: $(BUILD)/locksim $(HELD_CLOCK)    ## make those of npm's and Debian's packages anew and compare; WRITE=1 keeps them, ONLY=redlock; skipped without npm
	@tests/recordings/packages/run.sh $(if $(WRITE),--write) $(ONLY)
conformance-all: $(BUILD)/locksim $(CONFORMANCE)         ## the same with the servers of other Debian suites, too: they are fetched into build/servers
	@N=$(N) SEED=$(SEED) tests/conformance/all.sh
own: $(BUILD)/locksim                   ## init and lint on scripts of Debian's and npm's packages; skipped without a network
	@tests/own/run.sh
clients: $(BUILD)/locksim $(HELD_CLOCK) $(BUILD)/tests/conformance/libraries    ## real client libraries of npm and their scripts; skipped without npm
	@N=$(N) T='$(T)' tests/clients/run.sh

fixtures: $(BUILD)/locksim              ## the recipes of reports/pages/fixtures.md: pytest, Jest, JUnit, Go, where these are at hand
	@tests/fixtures/run.sh

pages: $(BUILD)/locksim                 ## the report's pages in headless Chromium; skipped without node or Chromium; screenshots go to PICTURES=
	@PICTURES='$(PICTURES)' tests/pages/run.sh

# The same tests under the address and undefined-behaviour sanitizers, in a build of their own that the fuzz targets share.
SANITIZE    = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
SANITIZED   = UBSAN_OPTIONS=print_stacktrace=1 \
    $(MAKE) --no-print-directory BUILD=$(BUILD)/asan CC='$(if $(findstring ccache,$(CC)),ccache )clang' CFLAGS='$(SANITIZE)'
asan: | $(BUILD)/deps-dev               ## unit and command line tests under ASan and UBSan
	+@$(SANITIZED) unit-and-cli
asan-unit: | $(BUILD)/deps-dev          ## unit tests under ASan and UBSan only; T names some of them
	+@MEMO_WORLDS=5 $(SANITIZED) unit
.PHONY: unit-and-cli asan-unit
unit-and-cli: $(BUILD)/locksim $(if $(MPI_THERE),$(BUILD)/locksim-mpi) $(UNIT)
	@tests/run.sh unit cli bad_input

# Inputs that nobody thought of, found by libFuzzer, which is clang's: T seconds for each target, as many side by side as there are cores.
FUZZ_TARGETS = $(patsubst fuzz_%,%,$(basename $(notdir $(FUZZ_SOURCES))))
fuzz: | $(BUILD)/deps-dev               ## fuzz each target for T=60 seconds under ASan and UBSan; TARGETS names some of them
	+@$(SANITIZED) fuzz-run SECONDS_EACH=$(or $(T),60)
fuzz-programs: $(call program,$(FUZZ_SOURCES))
fuzz-run: fuzz-programs
	@tests/fuzz/run.sh $(SECONDS_EACH) $(or $(TARGETS),$(FUZZ_TARGETS))
.PHONY: fuzz fuzz-programs fuzz-run

valgrind: $(UNIT) | $(BUILD)/deps-dev   ## unit tests under valgrind; DEBUG=1 for lines of source
	@WRAP='valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite' tests/run.sh unit

# ---- lint ----------------------------------------------------------------------------------------------------------------

# A file's report hangs on its object, so that it is looked at again whenever it, a header of it, or a flag changes.
# LINT=--checks=-clang-analyzer-* leaves out what takes nine tenths of the time: paths through a whole function.
# (make has a value of its own for this name.)
LINT =
TIDY = $(patsubst %.c,$(BUILD)/lint/%.tidy,$(ALL_SOURCES))
CLANG_FLAGS = $(CSTD) $(WARN) $(INCLUDES) $(LUA_CFLAGS) $(CPPFLAGS)
$(BUILD)/lint/%.tidy: %.c $(BUILD)/%.o .clang-tidy tests/lint.h | $(BUILD)/deps-dev
	@mkdir -p $(@D)
	$(call say,LINT,$<)clang $(CLANG_FLAGS) -fsyntax-only $< && \
	{ clang-tidy --quiet $(LINT) $< -- -include tests/lint.h $(CLANG_FLAGS) > $@.log 2>&1 || { grep -v 'warnings generated' $@.log; exit 1; }; } && touch $@

.PHONY: lint lint-c lint-cppcheck lint-lua lint-layers lint-sh lint-lines lint-names
lint: lint-c lint-cppcheck lint-lua lint-layers lint-sh lint-lines lint-names    ## gcc and clang warnings, clang-tidy, cppcheck, luacheck, layers, lines, names
	@echo "lint: clean"
lint-c: $(TIDY)                         ## clang's warnings and clang-tidy only
lint-cppcheck: | $(BUILD)/deps-dev      ## cppcheck only
	@mkdir -p $(BUILD)/lint/cppcheck
	@cppcheck -q --cppcheck-build-dir=$(BUILD)/lint/cppcheck --enable=warning,performance,portability --inline-suppr \
	    --std=c11 --library=gnu --suppressions-list=.cppcheck --error-exitcode=1 \
	    $(INCLUDES) -D_DEFAULT_SOURCE sim model tests
lint-lua: | $(BUILD)/deps-dev           ## luacheck only
	@luacheck -q --no-color $(wildcard scripts scenarios)
	@luacheck -q --no-color --std lua51 --no-config --no-self --max-line-length 120 $(PROGRAMS)
lint-layers: $(ARCHIVES) $(BUILD)/liblib.a                ## includes and symbols point one way
	@tests/layers.sh
lint-lines:                             ## no line of C, nor of our Lua programs, is longer than 120 columns
	@find sim model tests -name '*.[ch]' -o -name '*.lua' -path 'sim/*' | LC_ALL=C sort | xargs awk \
	    'length > 120 { printf "%s:%d: error: a line of %d columns: 120 at most\n", FILENAME, FNR, length; bad = 1 } END { exit bad }'
lint-names:                             ## the top level holds what it should, and names are plain
	@git ls-files 2> /dev/null | awk '!/^(Makefile|README\.md|\.[a-z-]+|(\.ci|\.debian|model|reports|scenarios|scripts|sim|tests)\/[A-Za-z0-9_.+\/-]+)$$/ \
	    { printf "%s: error: no such file belongs here\n", $$0; bad = 1 } END { exit bad }'
lint-sh:                                ## the shell scripts parse
	@for f in .ci/run .ci/deps .ci/dist .ci/deb tests/run.sh $(wildcard tests/*.sh tests/*/*.sh); do bash -n $$f || exit 1; done

# ---- speed ---------------------------------------------------------------------------------------------------------------

# Spin's verifier for the plain lock, with what makes it fastest and still lets it meet every state: no partial order reduction, which
# would leave states out, and no hash-compaction, which loses some here.
SPIN_LOCK  = $(BUILD)/tests/bench/plain_lock_spin
SPIN_FLAGS = -O3 -march=native -w -DSAFETY -DNOREDUCE -DNOFAIR -DNOBOUNDCHECK -DXUSAFE -DSFH
$(SPIN_LOCK): tests/bench/plain_lock.pml | $(BUILD)/deps-dev
	@mkdir -p $@.d
	$(call say,SPIN,$<)cd $@.d && spin -a $(abspath $<) && $(CC) $(SPIN_FLAGS) pan.c -o $(abspath $@)

BENCH = $(call program,$(BENCH_SOURCES))
bench: $(BENCH) $(BUILD)/locksim $(SPIN_LOCK)    ## measure: medians, and ratios that do not depend on the machine
	@set -e; for b in $(BENCH); do echo "$$(basename $$b)"; $$b; done

# Recordings judge mutants first, then cases of at most STATES=600 states: all that is shipped takes days. What was judged stays below $(BUILD)/mutation.
.PHONY: mutation mutation-scripts
# SINCE: without it the last version, or the commit before this one where there is none.
SINCE = $(or $(shell git log -1 --format=%h --grep='^version [0-9]' HEAD~1 2> /dev/null),HEAD~1)
mutation: $(BUILD)/locksim $(RECORDINGS)    ## mistakes in drivers, N=300 of them, and in what changed since the last version or SINCE=REV: all noticed or explained?
	tests/known_bugs.sh
	@status=0; tests/mutation/run.sh changed drivers --in-diff $(SINCE) || status=$$?; \
	tests/mutation/run.sh drivers drivers --sample $(or $(N),300) || status=$$?; exit $$status
mutation-scripts: $(BUILD)/locksim $(RECORDINGS)    ## mistakes in the shipped scripts, all of them: noticed or explained?
	tests/mutation/run.sh scripts scripts

.PHONY: mutation-checker mutation-flags
mutation-flags:
	@echo 'compile="$(COMPILE)" libs="$(LIBS)" objects="$(filter-out $(BUILD)/sim/cli/main.o,$(call objects,$(PRODUCT_SOURCES) sim/source/programs.c sim/report/page_files.c))"'
mutation-checker:                       ## mistakes in the model and the search that no test notices: an hour or two; N=300 of them, SEED=1
	@BUILD=$(BUILD) tests/mutation/checker.sh $(or $(N),300) $(or $(SEED),1)

.PHONY: pairs
pairs: $(BUILD)/locksim                 ## what breaks by two faults and by neither alone: hours; LOCKS, KINDS, STATES make it less
	@STATES=$(STATES) KINDS="$(KINDS)" tests/pairs.sh $(LOCKS)

.PHONY: museum-table cluster-page numbers lock-tables gallery large folded reduced folded-page
folded: $(BUILD)/locksim                ## equal clients once or each for itself: the same verdicts and stories? All scenarios of at most STATES=1000 states
	@tests/folded.sh $(or $(STATES),1000)
reduced: $(BUILD)/locksim               ## steps that commute in one order or in every order: the same verdicts and stories? All scenarios of at most STATES=1000 states
	@tests/reduced.sh $(or $(STATES),1000)
folded-page: $(BUILD)/locksim           ## write reports/pages/folded.md: which cases of the faults count equal clients once, and why the others don't
	@tests/folded.sh --write
large: $(BUILD)/locksim                 ## find the scenarios with more than 1,000 states anew, which quick tests pass over: minutes
	@tests/large.sh --write
museum-table: $(BUILD)/locksim          ## write reports/pages/museum.md's table, as a run gives it
	@tests/museum_table.sh $< > $(BUILD)/museum.new && cat $(BUILD)/museum.new > reports/pages/museum.md
cluster-page: $(BUILD)/locksim $(if $(MPI_THERE),$(BUILD)/locksim-mpi)    ## write reports/pages/cluster.md: what ranks make of a folder, from measured times
	@tests/cluster_page.sh $< > $(BUILD)/cluster.new && cat $(BUILD)/cluster.new > reports/pages/cluster.md
numbers: $(BUILD)/locksim               ## write reports/pages/numbers.md: states and seconds of the seeds, with open starts and with pinned ones
	@tests/numbers.sh $< > $(BUILD)/numbers.new && cat $(BUILD)/numbers.new > reports/pages/numbers.md
lock-tables: $(BUILD)/locksim           ## write reports/pages/locks.md's tables, as the scenarios expect them (make test proves those)
	@tests/lock_tables.sh --write
gallery: $(BUILD)/locksim | $(BUILD)/deps-test     ## simulate scenarios/fairness, draw reports/gallery and write its tables: some minutes
	@tests/gallery.sh $(BUILD)/gallery

# ---- installing ----------------------------------------------------------------------------------------------------------

BINDIR     = $(DESTDIR)$(PREFIX)/bin
LIBDIR     = $(DESTDIR)$(PREFIX)/lib/locksim
# Where the library goes: Debian's packages say LIBRARIES=/usr/lib/x86_64-linux-gnu.
LIBRARIES ?= $(PREFIX)/lib
LIBRARY    = $(DESTDIR)$(LIBRARIES)
SHAREDIR   = $(DESTDIR)$(PREFIX)/share/locksim
MANDIR     = $(DESTDIR)$(PREFIX)/share/man
COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/locksim
ZSH        = $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_locksim
FISH       = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/locksim.fish
.PHONY: install uninstall
install: $(BUILD)/locksim $(if $(MPI),$(BUILD)/locksim-mpi) lib    ## install below PREFIX=/usr/local, DESTDIR= before it
	install -d $(BINDIR) $(SHAREDIR)
	install -m 755 $(BUILD)/locksim$(if $(MPI),-mpi) $(BINDIR)/locksim
	install -D -m 644 -t $(LIBDIR) $(DRIVE_LIBRARY)
	install -D -m 644 -t $(LIBRARY) $(BUILD)/$(LIB_SONAME) $(BUILD)/liblocksim.a
	ln -sf $(LIB_SONAME) $(LIBRARY)/liblocksim.so
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include $(LIB_HEADER)
	install -d $(LIBRARY)/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBRARIES@|$(LIBRARIES)|; s|@VERSION@|$(VERSION)|' sim/lib/locksim.pc > $(LIBRARY)/pkgconfig/locksim.pc
	chmod 644 $(LIBRARY)/pkgconfig/locksim.pc
	rm -rf $(SHAREDIR)/scripts $(SHAREDIR)/scenarios $(SHAREDIR)/reports
	cp -R scripts scenarios $(SHAREDIR)/
	install -d $(SHAREDIR)/reports
	install -m 644 reports/*.gp $(SHAREDIR)/reports/
	chmod -R u+rwX,go+rX,go-w $(SHAREDIR)
	install -D -m 644 -t $(MANDIR)/man1 reports/locksim.1
	install -D -m 644 -t $(MANDIR)/man3 reports/locksim.3
	install -D -m 644 -t $(MANDIR)/man5 reports/locksim-scenario.5
	install -D -m 644 -t $(MANDIR)/man7 reports/locksim.7
	install -D -m 644 reports/completion/locksim.bash $(COMPLETION)
	install -D -m 644 reports/completion/_locksim $(ZSH)
	install -D -m 644 reports/completion/locksim.fish $(FISH)
uninstall:                              ## remove what install put there
	rm -rf $(SHAREDIR) $(LIBDIR)
	rm -f $(LIBRARY)/$(LIB_SONAME) $(LIBRARY)/liblocksim.so $(LIBRARY)/liblocksim.a $(LIBRARY)/pkgconfig/locksim.pc
	rm -f $(DESTDIR)$(PREFIX)/include/locksim.h
	rm -f $(BINDIR)/locksim $(MANDIR)/man1/locksim.1 $(MANDIR)/man3/locksim.3 $(MANDIR)/man5/locksim-scenario.5 $(MANDIR)/man7/locksim.7
	rm -f $(COMPLETION) $(ZSH) $(FISH)

# ---- packages --------------------------------------------------------------------------------------------------------------

VERSION = $(shell sed -n 's/^\#define LOCKSIM_VERSION "\(.*\)".*/\1/p' sim/host/about.h)
ARCHIVE = $(BUILD)/locksim-$(VERSION).tar.gz
.PHONY: dist deb package chroot
dist:                                   ## a source archive, of what is committed, that builds without git: build/locksim-VERSION.tar.gz
	@.ci/dist $(ARCHIVE) && echo $(ARCHIVE)
deb: dist | $(BUILD)/deps-package       ## a Debian package of it: build/deb/locksim_VERSION_ARCH.deb
	@.ci/deb $(ARCHIVE) $(BUILD)/deb
package: | $(BUILD)/deps-package        ## test both
	@tests/run.sh package
chroot: | $(BUILD)/deps-package         ## try what README promises in a fresh Debian: SUITE=trixie HOW=root, sudo, plain, package or arm64
	@tests/chroot.sh $(or $(SUITE),trixie) $(or $(HOW),root)

.PHONY: help clean
help:                                   ## this list
	@sed -n 's/^\([a-z-]*\):.*## *\(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F '\t' '{ printf "  make %-14s%s\n", $$1, $$2 }'
clean:                                  ## remove what was built here
	rm -rf $(BUILD)
