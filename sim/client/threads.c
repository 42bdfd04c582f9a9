/* threads.c - the coroutines of tasks: each is kept in the registry under a number while its task lives. In a pool,
 * where most tasks are short, an ended coroutine stays there and is reused for the next task. */
#include "base/mem.h"
#include "client/process_internal.h"

enum { SPARE_MAX = 20000 };

typedef struct {
    lua_State *L;          /* NULL: only the number is free */
    int number;
} spare_thread;

struct task_threads {
    spare_thread *spare;
    size_t count, cap;
    int numbers;           /* given so far, from 1 on */
    bool used_again;
};

task_threads *threads_new(void)
{
    return mem_zero(sizeof(task_threads));
}

void threads_free(task_threads *all)
{
    mem_free(all->spare);
    mem_free(all);
}

void threads_use_again(task_threads *all)
{
    all->used_again = true;
}

void threads_restore(task_threads *all, const task_threads *from)
{
    spare_thread *spare = all->spare;
    size_t cap = all->cap;
    *all = *from;
    all->spare = spare;
    all->cap = cap;
    MEM_RESERVE(all->spare, all->cap, from->count);
    for (size_t i = 0; i < from->count; i++)
        all->spare[i] = from->spare[i];
}

task_threads *threads_copy(const task_threads *all)
{
    task_threads *copy = threads_new();
    threads_restore(copy, all);
    return copy;
}

/* Puts the value at the top of S into the registry's table; popped. */
static void keep_as(lua_State *S, int number)
{
    luaL_checkstack(S, 1, NULL);
    lua_rawgeti(S, LUA_REGISTRYINDEX, REGISTRY_THREADS);
    lua_insert(S, -2);
    lua_rawseti(S, -2, number);
    lua_pop(S, 1);
}

lua_State *thread_take(process *p, int *number)
{
    task_threads *all = p->threads;
    spare_thread t = all->count ? all->spare[--all->count] : (spare_thread){ .number = ++all->numbers };
    *number = t.number;
    if (t.L)
        return t.L;
    luaL_checkstack(p->scratch, 1, NULL);
    t.L = lua_newthread(p->scratch);
    keep_as(p->scratch, t.number);
    return t.L;
}

void thread_end(process *p, lua_State *co, int number)
{
    task_threads *all = p->threads;
    bool again = all->used_again && !p->thread_told && lua_status(co) == 0 && all->count < SPARE_MAX;
    if (again) {
        lua_settop(co, 0);
    } else {
        luaL_checkstack(p->scratch, 1, NULL);
        lua_pushnil(p->scratch);
        keep_as(p->scratch, number);
    }
    MEM_RESERVE(all->spare, all->cap, all->count + 1);
    all->spare[all->count++] = (spare_thread){ .L = again ? co : NULL, .number = number };
}
