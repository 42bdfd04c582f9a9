/* lua_match.c - see lua_match.h.
 *
 * Source: the Lua 5.1 reference manual, section 5.4.1, and stock liblua5.1, against which test_script_match compares
 * results and error texts on random patterns. A pattern ends at its first NUL, as there. The only difference: recursion
 * is bounded, where stock Lua would overflow the C stack. */
#define _GNU_SOURCE                /* memmem */
#include "script/lua_match.h"

#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

enum { CAPTURES_MAX = 32, OPEN = -1, POSITION = -2, CHARGE_EVERY = 1024 };

typedef struct {
    lua_State *L;
    const match_host *host;
    const char *from, *end;        /* the subject */
    int captures, depth;
    uint64_t steps;                /* not yet charged */
    struct { const char *at; ptrdiff_t n; } capture[CAPTURES_MAX];
} matcher;

static void step(matcher *m, uint64_t n)
{
    m->steps += n;
    if (m->steps < CHARGE_EVERY)
        return;
    uint64_t due = m->steps;
    m->steps = 0;
    m->host->charge(m->L, due);
}

static unsigned char uc(char c)
{
    return (unsigned char)c;
}

/* The end of the single-character class that begins at p. */
static const char *class_end(matcher *m, const char *p)
{
    if (*p == '%') {
        if (p[1] == '\0')
            luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 2;
    }
    if (*p++ != '[')
        return p;
    const char *begin = p;
    if (*p == '^')
        p++;
    do {                                                 /* a ']' in the first place is a member */
        if (*p == '\0')
            luaL_error(m->L, "malformed pattern (missing ']')");
        if (*p++ == '%' && *p != '\0')
            p++;
    } while (*p != ']');
    step(m, (uint64_t)(p - begin) / 8);
    return p + 1;
}

static bool in_named_class(int c, int name)
{
    bool in;
    switch (tolower(name)) {
    case 'a': in = isalpha(c); break;
    case 'c': in = iscntrl(c); break;
    case 'd': in = isdigit(c); break;
    case 'l': in = islower(c); break;
    case 'p': in = ispunct(c); break;
    case 's': in = isspace(c); break;
    case 'u': in = isupper(c); break;
    case 'w': in = isalnum(c); break;
    case 'x': in = isxdigit(c); break;
    case 'z': in = c == 0; break;
    default: return name == c;
    }
    return isupper(name) ? !in : in;
}

/* p is at '[' and last at its ']'. */
static bool in_set(int c, const char *p, const char *last)
{
    bool found = true;
    if (*++p == '^') {
        found = false;
        p++;
    }
    for (; p < last; p++) {
        if (*p == '%') {
            p++;
            if (in_named_class(c, uc(*p)))
                return found;
        } else if (p[1] == '-' && p + 2 < last) {
            if (uc(*p) <= c && c <= uc(p[2]))
                return found;
            p += 2;
        } else if (uc(*p) == c) {
            return found;
        }
    }
    return !found;
}

static bool single_matches(matcher *m, int c, const char *p, const char *class_end_)
{
    switch (*p) {
    case '.':
        return true;
    case '%':
        return in_named_class(c, uc(p[1]));
    case '[':
        step(m, (uint64_t)(class_end_ - p) / 8);
        return in_set(c, p, class_end_ - 1);
    default:
        return uc(*p) == c;
    }
}

static const char *match(matcher *m, const char *s, const char *p);

/* %bxy at p + 2: s must stand at x; ends behind the y that closes it. */
static const char *balanced(matcher *m, const char *s, const char *p)
{
    if (p[0] == '\0' || p[1] == '\0')
        luaL_error(m->L, "unbalanced pattern");
    if (*s != p[0])
        return NULL;
    size_t open = 1;
    for (const char *at = s + 1; at < m->end; at++) {
        step(m, 1);
        if (*at == p[1]) {
            if (--open == 0)
                return at + 1;
        } else if (*at == p[0]) {
            open++;
        }
    }
    return NULL;
}

static const char *longest(matcher *m, const char *s, const char *p, const char *ep)
{
    ptrdiff_t n = 0;
    while (s + n < m->end && single_matches(m, uc(s[n]), p, ep)) {
        step(m, 1);
        n++;
    }
    for (; n >= 0; n--) {
        const char *end = match(m, s + n, ep + 1);
        if (end)
            return end;
    }
    return NULL;
}

static const char *shortest(matcher *m, const char *s, const char *p, const char *ep)
{
    for (;; s++) {
        const char *end = match(m, s, ep + 1);
        if (end)
            return end;
        if (s >= m->end || !single_matches(m, uc(*s), p, ep))
            return NULL;
    }
}

static const char *capture_begin(matcher *m, const char *s, const char *p, ptrdiff_t n)
{
    if (m->captures >= CAPTURES_MAX)
        luaL_error(m->L, "too many captures");
    m->capture[m->captures].at = s;
    m->capture[m->captures++].n = n;
    const char *end = match(m, s, p);
    if (!end)
        m->captures--;
    return end;
}

static const char *capture_close(matcher *m, const char *s, const char *p)
{
    int i = m->captures - 1;
    while (i >= 0 && m->capture[i].n != OPEN)
        i--;
    if (i < 0)
        luaL_error(m->L, "invalid pattern capture");
    m->capture[i].n = s - m->capture[i].at;
    const char *end = match(m, s, p);
    if (!end)
        m->capture[i].n = OPEN;
    return end;
}

static const char *back_reference(matcher *m, const char *s, int digit)
{
    int i = digit - '1';
    if (i < 0 || i >= m->captures || m->capture[i].n == OPEN)
        luaL_error(m->L, "invalid capture index");
    size_t n = (size_t)m->capture[i].n;                  /* a position's is huge: it never fits */
    if ((size_t)(m->end - s) < n)
        return NULL;
    step(m, n / 16);
    return memcmp(m->capture[i].at, s, n) == 0 ? s + n : NULL;
}

static const char *match_here(matcher *m, const char *s, const char *p)
{
    for (;;) {
        step(m, 1);
        switch (*p) {
        case '(':
            return p[1] == ')' ? capture_begin(m, s, p + 2, POSITION) : capture_begin(m, s, p + 1, OPEN);
        case ')':
            return capture_close(m, s, p + 1);
        case '\0':
            return s;
        case '%':
            if (p[1] == 'b') {
                s = balanced(m, s, p + 2);
                if (!s)
                    return NULL;
                p += 4;
                continue;
            }
            if (p[1] == 'f') {
                p += 2;
                if (*p != '[')
                    luaL_error(m->L, "missing '[' after '%%f' in pattern");
                const char *ep = class_end(m, p);
                int before = s == m->from ? 0 : uc(s[-1]);
                if (in_set(before, p, ep - 1) || !in_set(uc(*s), p, ep - 1))
                    return NULL;
                p = ep;
                continue;
            }
            if (isdigit(uc(p[1]))) {
                s = back_reference(m, s, uc(p[1]));
                if (!s)
                    return NULL;
                p += 2;
                continue;
            }
            break;
        case '$':
            if (p[1] == '\0')
                return s == m->end ? s : NULL;
            break;
        default:
            break;
        }
        const char *ep = class_end(m, p);
        bool fits = s < m->end && single_matches(m, uc(*s), p, ep);
        switch (*ep) {
        case '?':
            if (fits) {
                const char *end = match(m, s + 1, ep + 1);
                if (end)
                    return end;
            }
            p = ep + 1;
            continue;
        case '*':
            return longest(m, s, p, ep);
        case '+':
            return fits ? longest(m, s + 1, p, ep) : NULL;
        case '-':
            return shortest(m, s, p, ep);
        default:
            if (!fits)
                return NULL;
            s++;
            p = ep;
        }
    }
}

static const char *match(matcher *m, const char *s, const char *p)
{
    if (++m->depth > m->host->depth_max)
        luaL_error(m->L, "pattern too complex");
    const char *end = match_here(m, s, p);
    m->depth--;
    return end;
}

static const char *match_from(matcher *m, const char *s, const char *p)
{
    m->captures = m->depth = 0;
    return match(m, s, p);
}

static void push_capture(matcher *m, int i, const char *s, const char *e)
{
    if (i >= m->captures) {
        if (i != 0)
            luaL_error(m->L, "invalid capture index");
        lua_pushlstring(m->L, s, (size_t)(e - s));       /* no captures: the whole match */
        step(m, (uint64_t)(e - s) / 16);
        return;
    }
    if (m->capture[i].n == OPEN)
        luaL_error(m->L, "unfinished capture");
    if (m->capture[i].n == POSITION) {
        lua_pushinteger(m->L, m->capture[i].at - m->from + 1);
        return;
    }
    lua_pushlstring(m->L, m->capture[i].at, (size_t)m->capture[i].n);
    step(m, (uint64_t)m->capture[i].n / 16);
}

/* All captures, or the whole match if there are none and `s` is given. */
static int push_captures(matcher *m, const char *s, const char *e)
{
    int n = m->captures == 0 && s ? 1 : m->captures;
    luaL_checkstack(m->L, n, "too many captures");
    for (int i = 0; i < n; i++)
        push_capture(m, i, s, e);
    return n;
}

static matcher matcher_new(lua_State *L, const match_host *host, const char *s, size_t n)
{
    return (matcher){ .L = L, .host = host, .from = s, .end = s + n };
}

static int find_or_match(lua_State *L, const match_host *host, bool find)
{
    size_t n, pattern_n;
    const char *s = luaL_checklstring(L, 1, &n);
    const char *p = luaL_checklstring(L, 2, &pattern_n);
    ptrdiff_t init = luaL_optinteger(L, 3, 1);
    if (init < 0)
        init += (ptrdiff_t)n + 1;
    init = init < 1 ? 0 : init - 1;
    if ((size_t)init > n)
        init = (ptrdiff_t)n;
    if (pattern_n >= 256)
        host->charge(L, pattern_n / 16);
    if (find && (lua_toboolean(L, 4) || !strpbrk(p, "^$*+?.([%-"))) {
        host->charge(L, (n - (size_t)init) / 8 + 1);
        const char *at = memmem(s + init, n - (size_t)init, p, pattern_n);
        if (!at) {
            lua_pushnil(L);
            return 1;
        }
        lua_pushinteger(L, at - s + 1);
        lua_pushinteger(L, at - s + (ptrdiff_t)pattern_n);
        return 2;
    }
    bool anchored = *p == '^';
    if (anchored)
        p++;
    matcher m = matcher_new(L, host, s, n);
    for (const char *at = s + init;; at++) {
        const char *e = match_from(&m, at, p);
        if (e) {
            host->charge(L, m.steps);
            m.steps = 0;
            if (!find)
                return push_captures(&m, at, e);
            lua_pushinteger(L, at - s + 1);
            lua_pushinteger(L, e - s);
            return push_captures(&m, NULL, NULL) + 2;
        }
        if (at >= m.end || anchored)
            break;
    }
    host->charge(L, m.steps);
    lua_pushnil(L);
    return 1;
}

int match_find(lua_State *L, const match_host *host)
{
    return find_or_match(L, host, true);
}

int match_match(lua_State *L, const match_host *host)
{
    return find_or_match(L, host, false);
}

int match_next(lua_State *L, const match_host *host)
{
    size_t n;
    const char *s = lua_tolstring(L, lua_upvalueindex(1), &n);
    const char *p = lua_tostring(L, lua_upvalueindex(2));
    matcher m = matcher_new(L, host, s, n);
    for (const char *at = s + (size_t)lua_tointeger(L, lua_upvalueindex(3)); at <= m.end; at++) {
        const char *e = match_from(&m, at, p);
        if (e) {
            host->charge(L, m.steps);
            m.steps = 0;
            lua_pushinteger(L, e - s + (e == at));       /* an empty match goes on behind the next character */
            lua_replace(L, lua_upvalueindex(3));
            return push_captures(&m, at, e);
        }
    }
    host->charge(L, m.steps);
    return 0;
}

int match_gmatch(lua_State *L, lua_CFunction next)
{
    luaL_checkstring(L, 1);
    luaL_checkstring(L, 2);
    lua_settop(L, 2);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next, 3);
    return 1;
}

/* The replacement text with %0 .. %9 filled in. */
static void add_text(matcher *m, luaL_Buffer *b, const char *s, const char *e)
{
    size_t n;
    const char *text = lua_tolstring(m->L, 3, &n);
    step(m, n / 4);
    for (size_t i = 0; i < n; i++) {
        if (text[i] != '%') {
            luaL_addchar(b, text[i]);
            continue;
        }
        i++;                                             /* at the end this is the string's NUL */
        if (!isdigit(uc(text[i]))) {
            luaL_addchar(b, text[i]);
        } else if (text[i] == '0') {
            luaL_addlstring(b, s, (size_t)(e - s));
            step(m, (uint64_t)(e - s) / 16);
        } else {
            push_capture(m, text[i] - '1', s, e);
            luaL_addvalue(b);
        }
    }
}

static void add_replacement(matcher *m, luaL_Buffer *b, const char *s, const char *e)
{
    lua_State *L = m->L;
    switch (lua_type(L, 3)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
        add_text(m, b, s, e);
        return;
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(m, s, e), 1);
        break;
    default:
        push_capture(m, 0, s, e);
        lua_gettable(L, 3);
        break;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        lua_pushlstring(L, s, (size_t)(e - s));          /* nil and false keep what was there */
    } else if (!lua_isstring(L, -1)) {
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    }
    step(m, lua_objlen(L, -1) / 16);
    luaL_addvalue(b);
}

int match_gsub(lua_State *L, const match_host *host)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    const char *p = luaL_checkstring(L, 2);
    int type = lua_type(L, 3);
    int max = luaL_optint(L, 4, (int)(n + 1));
    bool anchored = *p == '^';
    if (anchored)
        p++;
    luaL_argcheck(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                  "string/function/table expected");
    assert(s);
    matcher m = matcher_new(L, host, s, n);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    int count = 0;
    while (count < max) {
        const char *e = match_from(&m, s, p);
        if (e) {
            count++;
            add_replacement(&m, &b, s, e);
        }
        if (e && e > s)
            s = e;
        else if (s < m.end)
            luaL_addchar(&b, *s++);
        else
            break;
        if (anchored)
            break;
    }
    host->charge(L, m.steps + (uint64_t)(m.end - s) / 16);
    luaL_addlstring(&b, s, (size_t)(m.end - s));
    luaL_pushresult(&b);
    lua_pushinteger(L, count);
    return 2;
}
