# locksim: `make run` runs the shipped scenarios, `make test` the tests; both install what they need (see `make help`).

CC       ?= gcc
BUILD    ?= build
CSTD      = -std=c11 -D_DEFAULT_SOURCE
WARN      = -Wall -Wextra -Wpedantic -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
CFLAGS   ?= -O2 -g
LUA_CFLAGS = $(shell pkg-config --cflags lua5.1)
CPPFLAGS += -Isim -I. $(LUA_CFLAGS) -MMD -MP
# cjson and bit come from Debian's static libraries, so that no module path matters at run time.
LIBS      = -llua5.1-cjson -llua5.1-bitop -llua5.1 -ljansson -lxxhash -lm -ldl

# One archive per layer, linked in the order in which they may call each other: an upward call does not link.
LAYERS    = cli report search world client redis model base
ARCHIVES  = $(LAYERS:%=$(BUILD)/lib%.a)
sources   = $(wildcard $(if $(filter model,$(1)),model,sim/$(1))/*.c)
objects   = $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1)))

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CSTD) $(WARN) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

define layer_rule
$(BUILD)/lib$(1).a: $(call objects,$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	ar rcs $$@ $$^
endef
$(foreach l,$(LAYERS),$(eval $(call layer_rule,$(l))))

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
