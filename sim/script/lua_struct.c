/* lua_struct.c - the struct library of Redis: C structures as strings, packed and unpacked by a format.
 * Options: < > byte order, !n alignment, x b B h H l L T i/In c n, c0 s f d and blanks. Source: the manual of struct
 * 0.2 (Lua.org, R. Ierusalimschy); what it leaves open was observed on a Redis 7.0.15 server. */
#include "script/script_host.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { INT_BYTES_MAX = 32, ALIGN_MAX = 8 };

typedef struct {
    lua_State *L;
    const char *at;                /* behind the option that was read */
    bool big;
    size_t align;
} format;

static int digits(format *f, int otherwise)
{
    if (!isdigit((unsigned char)*f->at))
        return otherwise;
    int n = 0;
    do {
        int digit = *f->at++ - '0';
        if (n > INT_MAX / 10 || n * 10 > INT_MAX - digit)
            luaL_error(f->L, "integral size overflow");
        n = n * 10 + digit;
    } while (isdigit((unsigned char)*f->at));
    return n;
}

/* Reads the option at f->at with its number; *bytes is its size, 0 for what has none. */
static int next_option(format *f, size_t *bytes)
{
    host_charge(f->L, 1);
    int option = (unsigned char)*f->at++, n;
    switch (option) {
    case 'b': case 'B': case 'x': *bytes = 1; break;
    case 'h': case 'H': *bytes = sizeof(short); break;
    case 'l': case 'L': *bytes = sizeof(long); break;
    case 'T': *bytes = sizeof(size_t); break;
    case 'f': *bytes = sizeof(float); break;
    case 'd': *bytes = sizeof(double); break;
    case 'c': *bytes = (size_t)digits(f, 1); break;
    case 'i': case 'I':
        n = digits(f, (int)sizeof(int));
        if (n > INT_BYTES_MAX)
            luaL_error(f->L, "integral size %d is larger than limit of %d", n, INT_BYTES_MAX);
        *bytes = (size_t)n;
        break;
    default: *bytes = 0; break;
    }
    return option;
}

/* Filler before an option of this size at this position. */
static size_t padding(const format *f, size_t position, int option, size_t bytes)
{
    if (bytes == 0 || option == 'c')
        return 0;
    if (bytes > f->align)
        bytes = f->align;
    return (bytes - (position & (bytes - 1))) & (bytes - 1);
}

static void control(format *f, int option)
{
    int n;
    switch (option) {
    case ' ':
        return;
    case '>':
        f->big = true;
        return;
    case '<':
        f->big = false;
        return;
    case '!':
        n = digits(f, ALIGN_MAX);
        if (n <= 0 || (n & (n - 1)) != 0)
            luaL_error(f->L, "alignment %d is not a power of 2", n);
        f->align = (size_t)n;
        return;
    default:
        luaL_argerror(f->L, 1, lua_pushfstring(f->L, "invalid format option '%c'", option));
    }
}

static uint64_t wrap(lua_Number n)
{
    if (n < 0)
        return n > -9223372036854775808.0 ? (uint64_t)(int64_t)n : UINT64_C(1) << 63;
    if (n < 18446744073709551616.0)
        return (uint64_t)n;
    return isnan(n) ? UINT64_C(1) << 63 : 0;       /* as x86-64 converts */
}

static void put_integer(format *f, buf *out, int arg, size_t bytes)
{
    char text[INT_BYTES_MAX];
    uint64_t n = wrap(luaL_checknumber(f->L, arg));
    for (size_t i = 0; i < bytes; i++) {
        text[f->big ? bytes - 1 - i : i] = (char)(n & 0xff);
        n >>= 8;
    }
    buf_add(out, (str){ text, bytes });
}

/* Floats, in the byte order asked for; this machine's is little-endian. */
static void put_bytes(const format *f, buf *out, const void *p, size_t n)
{
    const char *bytes = p;
    for (size_t i = 0; i < n; i++)
        buf_byte(out, bytes[f->big ? n - 1 - i : i]);
}

static void get_bytes(const format *f, const char *from, void *to, size_t n)
{
    char *bytes = to;
    for (size_t i = 0; i < n; i++)
        bytes[i] = from[f->big ? n - 1 - i : i];
}

static int struct_pack(lua_State *L)
{
    script_host *h = host_of(L);
    format f = { .L = L, .at = luaL_checkstring(L, 1), .align = 1 };
    buf *out = &h->packed;
    buf_clear(out);
    lua_pushnil(L);                                      /* a missing argument is nil, then nothing */
    int arg = 2;
    size_t position = 0;                                 /* of the C structure: a c0 or s counts what it wrote */
    while (*f.at) {
        size_t bytes;
        int option = next_option(&f, &bytes);
        for (size_t pad = padding(&f, position, option, bytes); pad > 0; pad--, position++)
            buf_byte(out, '\0');
        float single;
        double number;
        str s;
        switch (option) {
        case 'b': case 'B': case 'h': case 'H': case 'l': case 'L': case 'T': case 'i': case 'I':
            put_integer(&f, out, arg++, bytes);
            break;
        case 'x':
            buf_byte(out, '\0');
            break;
        case 'f':
            single = (float)luaL_checknumber(L, arg++);
            put_bytes(&f, out, &single, sizeof single);
            break;
        case 'd':
            number = luaL_checknumber(L, arg++);
            put_bytes(&f, out, &number, sizeof number);
            break;
        case 'c': case 's':
            s.p = luaL_checklstring(L, arg++, &s.n);
            if (bytes == 0)
                bytes = s.n;
            luaL_argcheck(L, s.n >= bytes, arg, "string too short");
            host_charge_bytes(L, bytes);
            if (out->n + bytes > h->limits.script_bytes)
                host_blow(L, BLOWN_BYTES);
            buf_add(out, str_slice(s, 0, bytes));
            if (option == 's') {
                buf_byte(out, '\0');
                bytes++;
            }
            break;
        default:
            control(&f, option);
            break;
        }
        position += bytes;
    }
    lua_pushlstring(L, out->p ? out->p : "", out->n);
    return 1;
}

static lua_Number get_integer(const format *f, const char *from, bool is_signed, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n = n << 8 | (unsigned char)from[f->big ? i : bytes - 1 - i];
    if (!is_signed)
        return (lua_Number)n;
    uint64_t sign = UINT64_MAX << ((bytes * 8 - 1) % 64);      /* as the processor shifts, past 8 bytes too */
    if (n & sign)
        n |= sign;
    return (lua_Number)(int64_t)n;
}

static int struct_unpack(lua_State *L)
{
    format f = { .L = L, .at = luaL_checkstring(L, 1), .align = 1 };
    str data;
    data.p = luaL_checklstring(L, 2, &data.n);
    lua_Integer first = luaL_optinteger(L, 3, 1);
    luaL_argcheck(L, first != 0, 3, "offset must be 1 or greater");
    size_t position = (size_t)first - 1;
    int results = 0;
    while (*f.at) {
        size_t bytes;
        int option = next_option(&f, &bytes);
        position += padding(&f, position, option, bytes);
        luaL_argcheck(L, bytes <= data.n && position <= data.n - bytes, 2, "data string too short");
        luaL_checkstack(L, 2, "too many results");
        float single;
        double number;
        switch (option) {
        case 'b': case 'B': case 'h': case 'H': case 'l': case 'L': case 'T': case 'i': case 'I':
            lua_pushnumber(L, get_integer(&f, data.p + position, islower(option), bytes));
            results++;
            break;
        case 'x':
            break;
        case 'f':
            get_bytes(&f, data.p + position, &single, sizeof single);
            lua_pushnumber(L, single);
            results++;
            break;
        case 'd':
            get_bytes(&f, data.p + position, &number, sizeof number);
            lua_pushnumber(L, number);
            results++;
            break;
        case 'c':
            if (bytes == 0) {
                if (results == 0 || !lua_isnumber(L, -1))
                    return luaL_error(L, "format 'c0' needs a previous size");
                lua_Number n = lua_tonumber(L, -1);
                lua_pop(L, 1);
                results--;
                bytes = n >= 0 && n < 9007199254740992.0 ? (size_t)n : SIZE_MAX;
                luaL_argcheck(L, bytes <= data.n && position <= data.n - bytes, 2, "data string too short");
            }
            host_charge_bytes(L, bytes);
            lua_pushlstring(L, data.p + position, bytes);
            results++;
            break;
        case 's': {
            const char *end = memchr(data.p + position, '\0', data.n - position);
            if (!end)
                return luaL_error(L, "unfinished string in data");
            bytes = (size_t)(end - (data.p + position)) + 1;
            host_charge_bytes(L, bytes);
            lua_pushlstring(L, data.p + position, bytes - 1);
            results++;
            break;
        }
        default:
            control(&f, option);
            break;
        }
        position += bytes;
    }
    lua_pushinteger(L, (lua_Integer)position + 1);
    if (results > 0)
        host_many(L, (size_t)results);
    return results + 1;
}

static int struct_size(lua_State *L)
{
    format f = { .L = L, .at = luaL_checkstring(L, 1), .align = 1 };
    size_t position = 0;
    while (*f.at) {
        size_t bytes;
        int option = next_option(&f, &bytes);
        position += padding(&f, position, option, bytes);
        if (option == 's')
            luaL_argerror(L, 1, "option 's' has no fixed size");
        else if (option == 'c' && bytes == 0)
            luaL_argerror(L, 1, "option 'c0' has no fixed size");
        if (!isalnum(option))
            control(&f, option);
        position += bytes;
    }
    lua_pushinteger(L, (lua_Integer)position);
    return 1;
}

void lua_open_struct(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "pack", struct_pack }, { "unpack", struct_unpack }, { "size", struct_size }, { NULL, NULL },
    };
    lua_newtable(L);
    for (const luaL_Reg *r = functions; r->name; r++) {
        lua_pushcfunction(L, r->func);
        lua_setfield(L, -2, r->name);
    }
}
