/* judges.c - checks that a view and `always` give the same for the same keyspace, whichever client runs them, and when.
 * Their results are stored by the content of the keyspace alone, so no variable that the program sets may decide
 * them. */
#include <xxhash.h>

#include "base/mem.h"
#include "client/lua_graph.h"
#include "client/process_internal.h"

/* `always`, then the views in the order in which they were registered. */
static void push_judge(lua_State *L, size_t i)
{
    root_push(L, i ? ROOT_OBSERVED : ROOT_ALWAYS);
    if (i == 0)
        return;
    lua_rawgeti(L, -1, (int)(2 * i));
    lua_remove(L, -2);
}

/* A hash of the function and all that it refers to. No number counts as an instant: a stored time does not move with
 * the clock. */
static uint64_t judge_print(process *p, size_t i)
{
    buf b = { 0 };
    lua_graph *g = lua_graph_of(p);
    lua_graph_begin(g, &b, 0);
    push_judge(g->L, i);
    put_value(g, g->L);
    lua_graph_finish(g);
    uint64_t print = XXH3_64bits(b.p, b.n);
    buf_free(&b);
    return print;
}

static bool refuse_judge(process *p, size_t i, err *e)
{
    lua_State *L = lua_graph_of(p)->L;
    push_judge(L, i);
    position at = state_function_place(p, L);
    lua_pop(L, 1);
    str lock = i ? p->observed[i - 1].lock : S("");
    err_at(e, ERR_DRIVER, at.path, at.line, at.col, "%s%.*s%s refers to something that the client changes as it goes",
           i ? "the view of lock \"" : "always", STR_ARG(lock), i ? "\"" : "");
    return err_hint(e, "it is asked once for each content of the keyspace, by whichever client: it may use what it "
                    "finds there, and what never changes");
}

bool judges_check(process *p, err *e)
{
    MEM_RESERVE(p->judge_prints, p->judge_print_cap, p->observed_count + 1);
    for (size_t i = 0; i <= p->observed_count; i++) {
        uint64_t print = judge_print(p, i);
        if (i == p->judge_print_count)
            p->judge_prints[p->judge_print_count++] = print;
        if (i > 0)
            p->observed[i - 1].print = print;
        if (print != p->judge_prints[i])
            return refuse_judge(p, i, e);
    }
    return true;
}
