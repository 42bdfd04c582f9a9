/* lua_graph_objects.c - locksim's own objects in the canonical bytes of a process: tasks, semaphores, futures,
 * scripts. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "client/lua_graph_parts.h"

/* The request that a fulfilled future stands for: a callback given to it later announces in its name. */
static void put_answered(lua_graph *g, uint32_t request)
{
    const uint32_t *rank = g->rank_count ? bsearch(&request, g->ranks, g->rank_count, sizeof *g->ranks, numbers_by_u32)
                           : NULL;
    if (rank) {
        put_count(g, (uint64_t)(rank - g->ranks));
        return;
    }
    size_t i = 0;
    while (i < g->answered_count && g->answered[i] != request)
        i++;
    if (i == g->answered_count) {
        MEM_RESERVE(g->answered, g->answered_cap, i + 1);
        g->answered[g->answered_count++] = request;
    }
    put_count(g, g->rank_count + i);
}

/* Its contents: the same, whatever way led to them. */
static void put_future(lua_graph *g, const object *f, int at)
{
    lua_State *L = g->L;
    if (f->table) {
        lua_getfenv(L, at);
        put_value(g, L);
    } else if (f->done) {
        future_push_answer(L, at);
        lua_pop(L, 1);                             /* the error: there is none */
        put_value(g, L);
    } else {
        buf_byte(g->out, '0');
    }
}

void put_object(lua_graph *g, int at)
{
    lua_State *L = g->L;
    object *o = object_at(L, at);
    buf_byte(g->out, 'x');
    if (!o) {
        lua_graph_refuse(g, "it holds a userdata that is none of locksim's");
        return;
    }
    put_count(g, (uint64_t)o->kind);
    switch (o->kind) {
    case OBJECT_ME: case OBJECT_TASK: {
        uint64_t rank = 0;                         /* it has ended */
        for (size_t i = 0; i < g->p->task_count && rank == 0; i++)
            rank = g->p->tasks[i]->id == o->task ? i + 1 : 0;
        put_count(g, rank);
        put_count(g, o->server);
        put_count(g, o->servers);
        put_count(g, (uint64_t)o->permits);        /* the thread, which outlives the task */
        break;
    }
    case OBJECT_SEMAPHORE:
        put_count(g, (uint64_t)o->permits);
        break;
    case OBJECT_FUTURE:
        buf_byte(g->out, o->done ? 'd' : 'w');
        put_count(g, o->server);
        put_count(g, o->servers);
        if (o->done)
            put_answered(g, o->request);
        put_future(g, o, at);
        break;
    case OBJECT_SCRIPT:
        /* of a file all that clients know: its text may become another one, see process_tables */
        put_text(g, o->script->name);
        put_text(g, o->script->path.n ? S("") : str_from(o->script->sha1));
        break;
    case OBJECT_KINDS: break;
    }
}
