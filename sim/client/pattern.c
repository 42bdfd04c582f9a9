/* pattern.c - string.find, match, gmatch and gsub with the patterns of Lua 5.1 (reference manual 5.4.1), where every step
 * is taken from the budget of the running input: a pattern that backtracks for ever ends like any other endless loop. */
#define _GNU_SOURCE                                /* memmem */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "client/process_internal.h"
#include "client/time_use.h"

enum { CAPTURES_MAX = 32, DEPTH_MAX = 200, OPEN = -1, PLACE = -2, STEPS_AT_ONCE = 1024 };

typedef struct {
    lua_State *L;
    const char *from, *end;                        /* the subject */
    const char *pattern_end;
    size_t steps;
    int depth, level;
    struct {
        const char *at;
        ptrdiff_t n;       /* length, or OPEN, or PLACE */
    } capture[CAPTURES_MAX];
} matcher;

static void spend(matcher *m)
{
    if (++m->steps >= STEPS_AT_ONCE) {
        size_t due = m->steps;
        m->steps = 0;
        state_charge(m->L, due);
    }
}

static const char *match(matcher *m, const char *s, const char *p);

/* Behind the single item that begins at p: a character, %x, or [set]. */
static const char *item_end(matcher *m, const char *p)
{
    char c = *p++;
    if (c == '%') {
        if (p == m->pattern_end)
            luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (c == '[') {
        if (p < m->pattern_end && *p == '^')
            p++;
        do {                                       /* the first ] belongs to the set */
            if (p == m->pattern_end)
                luaL_error(m->L, "malformed pattern (missing ']')");
            c = *p++;
            if (c == '%' && p < m->pattern_end)
                p++;
        } while (p == m->pattern_end || *p != ']');
        return p + 1;
    }
    return p;
}

static bool in_class(int c, int class)
{
    bool in;
    switch (tolower(class)) {
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
    default: return class == c;
    }
    return isupper(class) ? !in : in;
}

/* The set [p...last], last at its closing bracket. */
static bool in_set(int c, const char *p, const char *last)
{
    bool wanted = true;
    if (*++p == '^') {
        wanted = false;
        p++;
    }
    for (; p < last; p++) {
        if (*p == '%' && p + 1 < last) {
            if (in_class(c, (unsigned char)*++p))
                return wanted;
        } else if (p + 2 < last && p[1] == '-') {
            if ((unsigned char)*p <= c && c <= (unsigned char)p[2])
                return wanted;
            p += 2;
        } else if ((unsigned char)*p == c) {
            return wanted;
        }
    }
    return !wanted;
}

static bool one(matcher *m, const char *s, const char *p, const char *end)
{
    spend(m);
    if (s >= m->end)
        return false;
    int c = (unsigned char)*s;
    switch (*p) {
    case '.': return true;
    case '%': return in_class(c, (unsigned char)p[1]);
    case '[': return in_set(c, p, end - 1);
    default: return (unsigned char)*p == c;
    }
}

/* %bxy */
static const char *balanced(matcher *m, const char *s, const char *p)
{
    if (m->pattern_end - p < 2)
        luaL_error(m->L, "unbalanced pattern");
    if (s >= m->end || *s != p[0])
        return NULL;
    int open = 1;
    while (++s < m->end) {
        spend(m);
        if (*s == p[1]) {
            if (--open == 0)
                return s + 1;
        } else if (*s == p[0]) {
            open++;
        }
    }
    return NULL;
}

static const char *longest(matcher *m, const char *s, const char *p, const char *end)
{
    ptrdiff_t n = 0;
    while (one(m, s + n, p, end))
        n++;
    for (; n >= 0; n--) {
        const char *got = match(m, s + n, end + 1);
        if (got)
            return got;
    }
    return NULL;
}

static const char *shortest(matcher *m, const char *s, const char *p, const char *end)
{
    for (;;) {
        const char *got = match(m, s, end + 1);
        if (got)
            return got;
        if (!one(m, s, p, end))
            return NULL;
        s++;
    }
}

static const char *open_capture(matcher *m, const char *s, const char *p, ptrdiff_t n)
{
    if (m->level == CAPTURES_MAX)
        luaL_error(m->L, "too many captures");
    m->capture[m->level].at = s;
    m->capture[m->level++].n = n;
    const char *got = match(m, s, p);
    if (!got)
        m->level--;
    return got;
}

static const char *close_capture(matcher *m, const char *s, const char *p)
{
    int i = m->level;
    while (--i >= 0 && m->capture[i].n != OPEN) {
    }
    if (i < 0)
        luaL_error(m->L, "invalid pattern capture");
    m->capture[i].n = s - m->capture[i].at;
    const char *got = match(m, s, p);
    if (!got)
        m->capture[i].n = OPEN;
    return got;
}

/* %1 and its like: the same text again. */
static const char *again(matcher *m, const char *s, int digit)
{
    int i = digit - '1';
    if (i < 0 || i >= m->level || m->capture[i].n == OPEN)
        luaL_error(m->L, "invalid capture index");
    ptrdiff_t n = m->capture[i].n;
    if (n == PLACE)                                /* a position is no text: stock Lua finds it nowhere */
        return NULL;
    m->steps += (size_t)n / 16;
    return m->end - s >= n && memcmp(m->capture[i].at, s, (size_t)n) == 0 ? s + n : NULL;
}

static const char *step(matcher *m, const char *s, const char *p)
{
    for (;;) {
        spend(m);
        if (p == m->pattern_end)
            return s;
        if (*p == '(')
            return p + 1 < m->pattern_end && p[1] == ')' ? open_capture(m, s, p + 2, PLACE) : open_capture(m, s, p + 1, OPEN);
        if (*p == ')')
            return close_capture(m, s, p + 1);
        if (*p == '$' && p + 1 == m->pattern_end)
            return s == m->end ? s : NULL;
        if (*p == '%' && p + 1 < m->pattern_end) {
            if (p[1] == 'b') {
                s = balanced(m, s, p + 2);
                if (!s)
                    return NULL;
                p += 4;
                continue;
            }
            if (p[1] == 'f') {
                p += 2;
                if (p == m->pattern_end || *p != '[')
                    luaL_error(m->L, "missing '[' after '%%f' in pattern");
                const char *end = item_end(m, p);
                int before = s == m->from ? 0 : (unsigned char)s[-1];
                int here = s == m->end ? 0 : (unsigned char)*s;
                if (in_set(before, p, end - 1) || !in_set(here, p, end - 1))
                    return NULL;
                p = end;
                continue;
            }
            if (isdigit((unsigned char)p[1])) {
                s = again(m, s, p[1]);
                if (!s)
                    return NULL;
                p += 2;
                continue;
            }
        }
        const char *end = item_end(m, p);
        char mark = end < m->pattern_end ? *end : 0;
        if (mark == '*')
            return longest(m, s, p, end);
        if (mark == '+')
            return one(m, s, p, end) ? longest(m, s + 1, p, end) : NULL;
        if (mark == '-')
            return shortest(m, s, p, end);
        bool fits = one(m, s, p, end);
        if (mark == '?') {
            const char *got = fits ? match(m, s + 1, end + 1) : NULL;
            if (got)
                return got;
            p = end + 1;
            continue;
        }
        if (!fits)
            return NULL;
        s++;
        p = end;
    }
}

static const char *match(matcher *m, const char *s, const char *p)
{
    if (m->depth == DEPTH_MAX)
        luaL_error(m->L, "pattern too complex");
    m->depth++;
    const char *got = step(m, s, p);
    m->depth--;
    return got;
}

static matcher begin(lua_State *L, str subject, str pattern)
{
    return (matcher){ .L = L, .from = subject.p, .end = subject.p + subject.n, .pattern_end = pattern.p + pattern.n };
}

static void push_capture(matcher *m, int i, const char *s, const char *e)
{
    if (i >= m->level) {
        if (i != 0)
            luaL_error(m->L, "invalid capture index");
        lua_pushlstring(m->L, s, (size_t)(e - s));
        return;
    }
    if (m->capture[i].n == OPEN)
        luaL_error(m->L, "unfinished capture");
    if (m->capture[i].n == PLACE)
        lua_pushinteger(m->L, m->capture[i].at - m->from + 1);
    else
        lua_pushlstring(m->L, m->capture[i].at, (size_t)m->capture[i].n);
}

/* All captures; the whole match where there are none and it is wanted. */
static int push_captures(matcher *m, const char *s, const char *e, bool whole)
{
    int n = m->level == 0 && whole ? 1 : m->level;
    luaL_checkstack(m->L, n, "too many captures");
    for (int i = 0; i < n; i++)
        push_capture(m, i, s, e);
    return n;
}

static str text_argument(lua_State *L, int index)
{
    str s;
    s.p = luaL_checklstring(L, index, &s.n);
    return s;
}

static bool has_specials(str pattern)
{
    for (size_t i = 0; i < pattern.n; i++)
        if (pattern.p[i] && strchr("^$*+?.([%-", pattern.p[i]))
            return true;
    return false;
}

static int find_or_match(lua_State *L, bool find)
{
    time_use_argument(L, 1);
    str s = text_argument(L, 1), p = text_argument(L, 2);
    ptrdiff_t from = (ptrdiff_t)luaL_optinteger(L, 3, 1);
    if (from < 0)
        from += (ptrdiff_t)s.n + 1;
    from = from < 1 ? 0 : from - 1;
    if (from > (ptrdiff_t)s.n)
        from = (ptrdiff_t)s.n;
    if (find && (lua_toboolean(L, 4) || !has_specials(p))) {
        state_charge(L, (s.n - (size_t)from) / 8 + p.n / 8);
        const char *at = p.n == 0 ? s.p + from : memmem(s.p + from, s.n - (size_t)from, p.p, p.n);
        if (!at) {
            lua_pushnil(L);
            return 1;
        }
        lua_pushinteger(L, at - s.p + 1);
        lua_pushinteger(L, at - s.p + (ptrdiff_t)p.n);
        return 2;
    }
    matcher m = begin(L, s, p);
    bool anchored = p.n > 0 && p.p[0] == '^';
    const char *at = s.p + from;
    do {
        m.level = 0;
        spend(&m);
        const char *e = match(&m, at, p.p + anchored);
        if (e) {
            state_charge(L, m.steps);
            if (!find)
                return push_captures(&m, at, e, true);
            lua_pushinteger(L, at - s.p + 1);
            lua_pushinteger(L, e - s.p);
            return 2 + push_captures(&m, NULL, NULL, false);
        }
    } while (at++ < m.end && !anchored);
    state_charge(L, m.steps);
    lua_pushnil(L);
    return 1;
}

static int client_find(lua_State *L) { return find_or_match(L, true); }
static int client_match(lua_State *L) { return find_or_match(L, false); }

/* Upvalues: subject, pattern, where to go on. */
static int next_match(lua_State *L)
{
    str s, p;
    s.p = lua_tolstring(L, lua_upvalueindex(1), &s.n);
    p.p = lua_tolstring(L, lua_upvalueindex(2), &p.n);
    matcher m = begin(L, s, p);
    for (const char *at = s.p + lua_tointeger(L, lua_upvalueindex(3)); at <= m.end; at++) {
        m.level = 0;
        spend(&m);
        const char *e = match(&m, at, p.p);
        if (e) {
            state_charge(L, m.steps);
            lua_pushinteger(L, e - s.p + (e == at));       /* past an empty match, or it would be found for ever */
            lua_replace(L, lua_upvalueindex(3));
            return push_captures(&m, at, e, true);
        }
    }
    state_charge(L, m.steps);
    return 0;
}

static int client_gmatch(lua_State *L)
{
    time_use_argument(L, 1);
    text_argument(L, 1);
    text_argument(L, 2);
    lua_settop(L, 2);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_match, 3);
    return 1;
}

/* Adds what stands for the match [s, e). */
static void add_replacement(matcher *m, luaL_Buffer *b, const char *s, const char *e)
{
    lua_State *L = m->L;
    switch (lua_type(L, 3)) {
    case LUA_TNUMBER:
    case LUA_TSTRING: {
        str r;
        r.p = lua_tolstring(L, 3, &r.n);
        for (size_t i = 0; i < r.n; i++) {
            spend(m);
            if (r.p[i] != '%') {
                luaL_addchar(b, r.p[i]);
            } else if (++i == r.n || !isdigit((unsigned char)r.p[i])) {
                luaL_addchar(b, i < r.n ? r.p[i] : '\0');
            } else if (r.p[i] == '0') {
                luaL_addlstring(b, s, (size_t)(e - s));
            } else {
                push_capture(m, r.p[i] - '1', s, e);
                luaL_addvalue(b);
            }
        }
        return;
    }
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, push_captures(m, s, e, true), 1);
        break;
    default:
        push_capture(m, 0, s, e);
        lua_gettable(L, 3);
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        lua_pushlstring(L, s, (size_t)(e - s));
    } else if (!lua_isstring(L, -1)) {
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    }
    luaL_addvalue(b);
}

static int client_gsub(lua_State *L)
{
    time_use_argument(L, 1);
    str s = text_argument(L, 1), p = text_argument(L, 2);
    int type = lua_type(L, 3);
    luaL_argcheck(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                  "string/function/table expected");
    lua_Number most = lua_isnoneornil(L, 4) ? (lua_Number)s.n + 1 : luaL_checknumber(L, 4);
    matcher m = begin(L, s, p);
    bool anchored = p.n > 0 && p.p[0] == '^';
    const char *at = s.p;
    assert(at);
    int n = 0;
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    while (n < most) {
        m.level = 0;
        spend(&m);
        const char *e = match(&m, at, p.p + anchored);
        if (e) {
            n++;
            add_replacement(&m, &b, at, e);
        }
        if (e && e > at)
            at = e;
        else if (at < m.end)
            luaL_addchar(&b, *at++);
        else
            break;
        if (anchored)
            break;
    }
    luaL_addlstring(&b, at, (size_t)(m.end - at));
    luaL_pushresult(&b);
    lua_pushinteger(L, n);
    state_charge(L, m.steps);
    return 2;
}

void pattern_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "find", client_find }, { "gmatch", client_gmatch }, { "gsub", client_gsub }, { "match", client_match }, { NULL, NULL },
    };
    luaL_register(L, NULL, functions);
}
