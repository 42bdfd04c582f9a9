/* lua_cmsgpack.c - MessagePack as the cmsgpack 0.4.0 library of Redis packs and unpacks it.
 * Source: the MessagePack specification (github.com/msgpack/msgpack, spec.md); what the specification leaves open was
 * observed on a Redis 7.0.15 server: REDIS-FIDELITY.md section 3. */
#include "script/script_host.h"

#include <math.h>
#include <string.h>

enum { NESTING_MAX = 16 };         /* a table nested deeper is packed as nil */

/* --- Packing
 * -------------------------------------------------------------------------------------------------------- */

/* Bytes of `n`, most significant first, behind a type byte. */
static void add_number(buf *b, int type, uint64_t n, int bytes)
{
    buf_byte(b, (char)type);
    for (int i = bytes - 1; i >= 0; i--)
        buf_byte(b, (char)(n >> (8 * i) & 0xff));
}

static void pack_integer(buf *b, int64_t n)
{
    uint64_t u = (uint64_t)n;
    if (n >= 0) {
        if (n <= 127)
            buf_byte(b, (char)n);
        else if (n <= 0xff)
            add_number(b, 0xcc, u, 1);
        else if (n <= 0xffff)
            add_number(b, 0xcd, u, 2);
        else if (n <= 0xffffffff)
            add_number(b, 0xce, u, 4);
        else
            add_number(b, 0xcf, u, 8);
        return;
    }
    if (n >= -32)
        buf_byte(b, (char)n);
    else if (n >= INT8_MIN)
        add_number(b, 0xd0, u, 1);
    else if (n >= INT16_MIN)
        add_number(b, 0xd1, u, 2);
    else if (n >= INT32_MIN)
        add_number(b, 0xd2, u, 4);
    else
        add_number(b, 0xd3, u, 8);
}

static void pack_number(buf *b, lua_Number n)
{
    if (n >= -9223372036854775808.0 && n < 9223372036854775808.0 && n == floor(n)) {
        pack_integer(b, (int64_t)n);
        return;
    }
    float f = (float)n;
    if ((double)f == n) {
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        add_number(b, 0xca, bits, 4);
    } else {
        uint64_t bits;
        memcpy(&bits, &n, sizeof bits);
        add_number(b, 0xcb, bits, 8);
    }
}

/* A length under `fix_max` lies in the type byte; else it follows in 1 (if the type has such a form), 2 or 4 bytes. */
static void add_length(buf *b, size_t n, size_t fix_max, int fix, int one, int two, int four)
{
    if (n < fix_max)
        buf_byte(b, (char)(fix | (int)n));
    else if (one && n <= 0xff)
        add_number(b, one, n, 1);
    else if (n <= 0xffff)
        add_number(b, two, n, 2);
    else
        add_number(b, four, n, 4);
}

/* Keys 1 .. n and nothing else; the empty table too. */
static bool is_array(lua_State *L, int index)
{
    lua_Number max = 0, count = 0;
    luaL_checkstack(L, 2, "in function table_is_an_array");
    lua_pushnil(L);
    while (lua_next(L, index)) {
        host_charge(L, 1);
        lua_pop(L, 1);
        lua_Number k = lua_tonumber(L, -1);
        if (lua_type(L, -1) != LUA_TNUMBER || !(k > 0) || k != floor(k)) {
            lua_pop(L, 1);
            return false;
        }
        max = k > max ? k : max;
        count++;
    }
    return max == count;
}

/* Packs the value at `index`, an absolute one. The buffer is the host's, so nothing leaks when the run is stopped. */
static void pack_value(lua_State *L, buf *out, int index, int level);

static void pack_table(lua_State *L, buf *out, int index, int level)
{
    luaL_checkstack(L, 5, "in function mp_encode_lua_table");
    host_charge(L, host_of(L)->largest_table_bytes / 64);
    if (is_array(L, index)) {
        size_t n = lua_objlen(L, index);
        add_length(out, n, 16, 0x90, 0, 0xdc, 0xdd);
        for (size_t i = 1; i <= n; i++) {
            lua_rawgeti(L, index, (int)i);
            pack_value(L, out, lua_gettop(L), level + 1);
            lua_pop(L, 1);
        }
        return;
    }
    size_t n = 0;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        n++;
    }
    add_length(out, n, 16, 0x80, 0, 0xde, 0xdf);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        pack_value(L, out, lua_gettop(L) - 1, level + 1);
        pack_value(L, out, lua_gettop(L), level + 1);
        lua_pop(L, 1);
    }
}

static void pack_value(lua_State *L, buf *out, int index, int level)
{
    script_host *h = host_of(L);
    host_charge(L, 2);
    if (out->n > h->limits.script_bytes)
        host_blow(L, BLOWN_BYTES);
    switch (lua_type(L, index)) {
    case LUA_TSTRING: {
        str s;
        s.p = lua_tolstring(L, index, &s.n);
        host_charge_bytes(L, s.n);
        add_length(out, s.n, 32, 0xa0, 0xd9, 0xda, 0xdb);
        buf_add(out, s);
        return;
    }
    case LUA_TTABLE:
        if (level < NESTING_MAX) {
            pack_table(L, out, index, level);
            return;
        }
        buf_byte(out, (char)0xc0);
        return;
    case LUA_TNUMBER:
        pack_number(out, lua_tonumber(L, index));
        return;
    case LUA_TBOOLEAN:
        buf_byte(out, (char)(lua_toboolean(L, index) ? 0xc3 : 0xc2));
        return;
    default:                                             /* nil, and all that MessagePack cannot say */
        buf_byte(out, (char)0xc0);
        return;
    }
}

static int mp_pack(lua_State *L)
{
    script_host *h = host_of(L);
    int n = lua_gettop(L);
    if (n == 0)
        return luaL_argerror(L, 0, "MessagePack pack needs input.");
    luaL_checkstack(L, n, "Too many arguments for MessagePack pack.");
    buf_clear(&h->packed);
    for (int i = 1; i <= n; i++)
        pack_value(L, &h->packed, i, 0);
    lua_pushlstring(L, h->packed.p ? h->packed.p : "", h->packed.n);
    return 1;
}

/* --- Unpacking
 * ------------------------------------------------------------------------------------------------------ */

typedef struct {
    lua_State *L;
    const unsigned char *p;
    size_t left;
} reader;

static const unsigned char *read_bytes(reader *r, size_t n)
{
    if (r->left < n)
        luaL_error(r->L, "Missing bytes in input.");
    const unsigned char *p = r->p;
    r->p += n;
    r->left -= n;
    return p;
}

static uint64_t read_number(reader *r, size_t bytes)
{
    const unsigned char *p = read_bytes(r, bytes);
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n = n << 8 | p[i];
    return n;
}

static void unpack_value(reader *r);

static void unpack_text(reader *r, size_t n)
{
    const unsigned char *p = read_bytes(r, n);       /* first: bytes that are missing cost nothing */
    host_charge_bytes(r->L, n);
    lua_pushlstring(r->L, (const char *)p, n);
}

static void unpack_array(reader *r, size_t n)
{
    luaL_checkstack(r->L, 2, "in function mp_decode_to_lua_array");
    lua_newtable(r->L);
    for (size_t i = 1; i <= n; i++) {
        lua_pushnumber(r->L, (lua_Number)i);
        unpack_value(r);
        lua_settable(r->L, -3);
    }
}

static void unpack_map(reader *r, size_t n)
{
    luaL_checkstack(r->L, 1, "in function mp_decode_to_lua_hash");
    lua_newtable(r->L);
    for (size_t i = 0; i < n; i++) {
        unpack_value(r);
        unpack_value(r);
        lua_settable(r->L, -3);
    }
}

static void unpack_value(reader *r)
{
    lua_State *L = r->L;
    host_charge(L, 2);
    luaL_checkstack(L, 1, "too many return values at once; use unpack_one or unpack_limit instead.");
    int type = *read_bytes(r, 1);
    if (type <= 0x7f) {
        lua_pushnumber(L, type);
    } else if (type <= 0x8f) {
        unpack_map(r, type & 15);
    } else if (type <= 0x9f) {
        unpack_array(r, type & 15);
    } else if (type <= 0xbf) {
        unpack_text(r, type & 31);
    } else if (type >= 0xe0) {
        lua_pushnumber(L, type - 256);
    } else {
        uint32_t bits32;
        uint64_t bits64;
        float f;
        double d;
        switch (type) {
        case 0xc0: lua_pushnil(L); break;
        case 0xc2: lua_pushboolean(L, false); break;
        case 0xc3: lua_pushboolean(L, true); break;
        case 0xca:
            bits32 = (uint32_t)read_number(r, 4);
            memcpy(&f, &bits32, sizeof f);
            lua_pushnumber(L, f);
            break;
        case 0xcb:
            bits64 = read_number(r, 8);
            memcpy(&d, &bits64, sizeof d);
            lua_pushnumber(L, d);
            break;
        case 0xcc: lua_pushnumber(L, (lua_Number)read_number(r, 1)); break;
        case 0xcd: lua_pushnumber(L, (lua_Number)read_number(r, 2)); break;
        case 0xce: lua_pushnumber(L, (lua_Number)read_number(r, 4)); break;
        /* wraps, as the library's does */
        case 0xcf: lua_pushnumber(L, (lua_Number)(int64_t)read_number(r, 8)); break;
        case 0xd0: lua_pushnumber(L, (int8_t)read_number(r, 1)); break;
        case 0xd1: lua_pushnumber(L, (int16_t)read_number(r, 2)); break;
        case 0xd2: lua_pushnumber(L, (int32_t)read_number(r, 4)); break;
        case 0xd3: lua_pushnumber(L, (lua_Number)(int64_t)read_number(r, 8)); break;
        case 0xd9: unpack_text(r, read_number(r, 1)); break;
        case 0xda: unpack_text(r, read_number(r, 2)); break;
        case 0xdb: unpack_text(r, read_number(r, 4)); break;
        case 0xdc: unpack_array(r, read_number(r, 2)); break;
        case 0xdd: unpack_array(r, read_number(r, 4)); break;
        case 0xde: unpack_map(r, read_number(r, 2)); break;
        case 0xdf: unpack_map(r, read_number(r, 4)); break;
        default: luaL_error(L, "Bad data format in input."); break;
        }
    }
}

/* limit 0 and offset 0: everything, and no offset is returned. */
static int unpack_from(lua_State *L, lua_Integer limit, lua_Integer offset)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    bool all = limit == 0 && offset == 0;
    if (offset < 0 || limit < 0)
        return luaL_error(L, "Invalid request to unpack with offset of %d and limit of %d.", (int)offset, (int)n);
    if ((size_t)offset > n)
        return luaL_error(L, "Start offset %d greater than input length %d.", (int)offset, (int)n);
    if (all)
        limit = INT32_MAX;
    reader r = { .L = L, .p = (const unsigned char *)s + offset, .left = n - (size_t)offset };
    int count = 0;
    while (r.left > 0 && count < limit) {
        luaL_checkstack(L, 1, "too many return values at once; use unpack_one or unpack_limit instead.");
        unpack_value(&r);
        count++;
    }
    if (count > 1)
        host_many(L, (size_t)count);
    if (!all) {
        lua_pushinteger(L, r.left == 0 ? -1 : (lua_Integer)(n - r.left));
        lua_insert(L, 2);
        count++;
    }
    return count;
}

static int mp_unpack(lua_State *L)
{
    return unpack_from(L, 0, 0);
}

static int mp_unpack_one(lua_State *L)
{
    lua_Integer offset = luaL_optinteger(L, 2, 0);
    if (lua_gettop(L) > 1)
        lua_settop(L, 1);
    return unpack_from(L, 1, offset);
}

static int mp_unpack_limit(lua_State *L)
{
    lua_Integer limit = luaL_checkinteger(L, 2), offset = luaL_optinteger(L, 3, 0);
    if (lua_gettop(L) > 1)
        lua_settop(L, 1);
    return unpack_from(L, limit, offset);
}

void lua_open_cmsgpack(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "pack", mp_pack }, { "unpack", mp_unpack }, { "unpack_one", mp_unpack_one },
        { "unpack_limit", mp_unpack_limit },
        { NULL, NULL },
    };
    static const struct { const char *name, *text; } texts[] = {
        { "_NAME", "cmsgpack" }, { "_VERSION", "lua-cmsgpack 0.4.0" },
        { "_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo" },
        { "_DESCRIPTION", "MessagePack C implementation for Lua" },
    };
    lua_newtable(L);
    for (const luaL_Reg *r = functions; r->name; r++) {
        lua_pushcfunction(L, r->func);
        lua_setfield(L, -2, r->name);
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        lua_pushstring(L, texts[i].text);
        lua_setfield(L, -2, texts[i].name);
    }
}
