/* library_dump.c - FUNCTION DUMP and RESTORE: all libraries as one text, in the format of Redis's own files
 * (payload.h), and back. A payload is, for each library, the byte F5 and its text, and the footer. A real server
 * takes what DUMP writes, and RESTORE what a real one writes. */
#include <string.h>

#include "base/mem.h"
#include "redis/collection.h"
#include "redis/payload.h"
#include "redis/server.h"
#include "script/libraries.h"

enum { OPCODE_LIBRARY = 0xF5, OPCODE_EARLY = 0xF6 };

reply function_dump(const call *c)
{
    const script_host *h = c->server->scripts->functions;
    buf b = { 0 };
    for (size_t i = 0; i < h->libraries_n; i++) {
        buf_byte(&b, (char)OPCODE_LIBRARY);
        payload_add_text(&b, h->libraries[i]->code.body);
    }
    payload_end(c->server->dialect, &b);
    reply r = reply_bulk(arena_str(c->out, buf_str(&b)));
    buf_free(&b);
    return r;
}

/* ---- in ---- */

/* Loads each library into an empty host. As in a real server, a text that is too long reads into what follows it. */
static bool load_all(const call *c, str payload, str *why)
{
    str rest = payload;
    while (rest.n > PAYLOAD_FOOTER_BYTES) {
        str text;
        uint64_t opcode;
        (void)payload_take_high_first(&rest, 1, &opcode);
        if (opcode == OPCODE_EARLY)
            return *why = str_from(server_say(c->server, WORDS_EARLY_LIBRARY)), false;
        if (opcode != OPCODE_LIBRARY)
            return *why = S("ERR given type is not a function"), false;
        if (!payload_take_text(&rest, c->out, &text))
            return *why = S("ERR Failed loading library payload"), false;
        if (!function_load(c->server, text, false, c->out, NULL, why))
            return false;
    }
    return true;
}

/* ---- the libraries that were there ---- */

typedef struct {
    library **at;
    size_t n, cap;
} shelf;

static void swap_shelves(script_host *h, shelf *other)
{
    shelf here = { h->libraries, h->libraries_n, h->libraries_cap };
    h->libraries = other->at;
    h->libraries_n = other->n;
    h->libraries_cap = other->cap;
    *other = here;
}

/* Frees those of the shelf. */
static void clear_shelf(script_host *h, shelf *s)
{
    for (size_t i = 0; i < s->n; i++)
        library_free(h, s->at[i]);
    mem_free(s->at);
    *s = (shelf){ .n = 0 };
}

static bool collides(const call *c, const script_host *h, const library *old, bool replace, str *why)
{
    const library *same = library_find(h, str_from(old->name));
    if (same && !replace)
        return *why = arena_printf(c->out, "ERR Library %s already exists", old->name), true;
    for (size_t i = 0; !same && i < old->count; i++)
        if (library_of_function(h, str_from(old->functions[i].name)))
            return *why = arena_printf(c->out, "ERR Function %s already exists", old->functions[i].name), true;
    return false;
}

/* Those of `old` that no new one replaces stand beside the new ones. */
static void join(script_host *h, shelf *old)
{
    for (size_t i = 0; i < old->n; i++) {
        if (library_find(h, str_from(old->at[i]->name)))
            library_free(h, old->at[i]);
        else
            library_insert(h, old->at[i]);
    }
    mem_free(old->at);
}

/* FUNCTION RESTORE payload [FLUSH | APPEND | REPLACE]: all of it or nothing. */
reply function_restore(const call *c)
{
    script_host *h = c->server->scripts->functions;
    bool flush = c->argc > 3 && arg_is(c, 3, S("flush")), replace = c->argc > 3 && arg_is(c, 3, S("replace"));
    str why;
    if (c->argc > 4)
        return reply_error(arena_printf(c->out, "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try "
                                        "FUNCTION HELP.", STR_ARG(c->argv[1])));
    if (c->argc > 3 && !flush && !replace && !arg_is(c, 3, S("append")))
        return reply_error(S("ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE."));
    if (!payload_is_whole(c->server->dialect, c->argv[2]))
        return reply_error(S("ERR DUMP payload version or checksum are wrong"));
    shelf old = { .n = 0 };
    swap_shelves(h, &old);
    bool loaded = load_all(c, c->argv[2], &why);
    for (size_t i = 0; loaded && !flush && i < old.n; i++)
        loaded = !collides(c, h, old.at[i], replace, &why);
    if (!loaded)
        swap_shelves(h, &old);
    if (!loaded && !h->L)
        libraries_forget_code(h);                  /* it blew its budget: each has to run again */
    if (loaded && !flush)
        join(h, &old);
    else
        clear_shelf(h, &old);
    return loaded ? reply_ok() : reply_error(why);
}
