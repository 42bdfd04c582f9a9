/* lua_graph_tables.c - tables in the canonical bytes of a process: their fields in sorted order (client code cannot see
 * any other). */
#include <stdlib.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "client/lua_graph_parts.h"

void lua_graph_keep_keyed(lua_graph *g, uint32_t table)
{
    MEM_RESERVE(g->keyed, g->keyed_cap, g->keyed_count + 1);
    g->keyed[g->keyed_count++] = (keyed_table){ .table = table };
}

static int field_order(const void *x, const void *y)
{
    const field *a = x, *b = y;
    if (a->key_type != b->key_type)
        return a->key_type - b->key_type;
    if (a->key_type == LUA_TSTRING)
        return str_cmp(a->key_written, b->key_written);
    return (a->key > b->key) - (a->key < b->key);
}

/* The value at `index`; a text is borrowed from it. */
static int look_at(lua_State *L, int index, double *number, str *text, const void **address)
{
    int type = lua_type(L, index);
    if (type == LUA_TNUMBER)
        *number = lua_tonumber(L, index);
    else if (type == LUA_TBOOLEAN)
        *number = lua_toboolean(L, index);
    else if (type == LUA_TSTRING)
        text->p = lua_tolstring(L, index, &text->n);
    else
        *address = lua_topointer(L, index);
    return type;
}

/* Gathers the fields of the table at `at` but for those whose keys are objects, of which it returns the types that
 * occur. */
static unsigned gather_fields(lua_graph *g, int at)
{
    lua_State *L = g->L;
    unsigned objects = 0;
    bool sorted = true;
    g->field_count = 0;
    for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
        MEM_RESERVE(g->fields, g->field_cap, g->field_count + 1);
        field *f = &g->fields[g->field_count];
        const void *key_address = NULL;
        f->key_type = look_at(L, -2, &f->key, &f->key_text, &key_address);
        if (key_address) {
            objects |= 1u << f->key_type;
            continue;
        }
        f->key_written = f->key_text;
        if (g->equals && f->key_type == LUA_TSTRING)
            f->key_written = equals_named(g->renamed, g->equals, g->naming, true, f->key_text);
        f->type = look_at(L, -1, &f->number, &f->text, &f->address);
        sorted = sorted && (g->field_count == 0 || field_order(f - 1, f) < 0);
        g->field_count++;
    }
    if (!sorted)
        qsort(g->fields, g->field_count, sizeof *g->fields, field_order);
    return objects;
}

static void push_key(lua_State *L, const field *f)
{
    if (f->key_type == LUA_TNUMBER)
        lua_pushnumber(L, f->key);
    else if (f->key_type == LUA_TBOOLEAN)
        lua_pushboolean(L, f->key != 0);
    else
        lua_pushlstring(L, f->key_text.p, f->key_text.n);
}

/* Where the value is found depends on it: it cannot be hidden. */
static void put_number_key(lua_graph *g, double n)
{
    size_t before = g->distance_count;
    put_number(g, n);
    if (g->distance_count > before && g->distances[before].kind == DISTANCE_NUMBER)
        g->distances[before].kind = DISTANCE_OTHER;
}

static void put_field(lua_graph *g, int at, const field *f)
{
    if (f->key_type == LUA_TNUMBER)
        put_number_key(g, f->key);
    else if (f->key_type == LUA_TBOOLEAN)
        buf_byte(g->out, f->key != 0 ? 'Y' : 'N');
    else
        put_string(g, f->key_text);
    uint32_t number;
    switch (f->type) {
    case LUA_TBOOLEAN:
        buf_byte(g->out, f->number != 0 ? 'Y' : 'N');
        return;
    case LUA_TNUMBER:
        put_number(g, f->number);
        return;
    case LUA_TSTRING:
        put_string(g, f->text);
        return;
    default:
        number = f->address ? seen_find(&g->objects, f->address) : 0;
        if (number) {
            buf_byte(g->out, 'o');
            put_count(g, number);
            return;
        }
        push_key(g->L, f);
        lua_rawget(g->L, at);
        put_value(g, g->L);
    }
}

/* What # says of a list with holes depends on how it came about, and so may what it will say. Where it still says what
 * ipairs would, it is taken as it is. */
static void check_border(lua_graph *g, int at)
{
    size_t border = 0, length = lua_objlen(g->L, at);
    for (size_t i = 0; i < g->field_count; i++)
        border += g->fields[i].key_type == LUA_TNUMBER && g->fields[i].key == (double)(border + 1);
    if (border != length)
        lua_graph_refuse(g, "it holds a list with a hole: field %zu is nil, yet # says %zu, which depends on how the "
                         "list was made; "
                "use a value of your own for an empty place, or keep a count beside it", border + 1, length);
}

void put_table(lua_graph *g, uint32_t number, int at)
{
    unsigned objects = gather_fields(g, at);
    buf_byte(g->out, '{');
    put_count(g, g->field_count);
    /* pairs refuses a table with such keys, even unknown ones */
    buf_byte(g->out, (char)('0' + (objects >> LUA_TTABLE)));
    check_border(g, at);
    for (size_t i = 0; i < g->field_count; i++)
        put_field(g, at, &g->fields[i]);
    if (objects)
        lua_graph_keep_keyed(g, number);
    if (lua_getmetatable(g->L, at)) {
        buf_byte(g->out, 'm');
        put_value(g, g->L);
    }
}

bool put_object_keys(lua_graph *g, size_t which)
{
    lua_State *L = g->L;
    keyed_table k = g->keyed[which];
    uint32_t *met = NULL;
    size_t count = 0, cap = 0;
    g->keyed[which].upto = g->count;
    lua_rawgeti(L, GRAPH_QUEUE, (int)k.table);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        uint32_t number = lua_type(L, -2) >= LUA_TTABLE ? seen_find(&g->objects, lua_topointer(L, -2)) : 0;
        if (number > k.upto) {
            MEM_RESERVE(met, cap, count + 1);
            met[count++] = number;
        }
    }
    if (count > 1)
        qsort(met, count, sizeof *met, numbers_by_u32);
    if (count) {
        buf_byte(g->out, 'K');
        put_count(g, k.table);
        put_count(g, count);
    }
    uint32_t described = g->done;
    g->done = k.table;                             /* who refers to them */
    for (size_t i = 0; i < count; i++) {
        put_count(g, met[i]);
        lua_rawgeti(L, GRAPH_QUEUE, (int)met[i]);
        lua_rawget(L, -2);
        put_value(g, L);
    }
    g->done = described;
    lua_pop(L, 1);
    mem_free(met);
    return count > 0;
}
