/* geo.c - places on the globe: a sorted set whose scores are the interleaved bits of a place (geohash, 26 bits for each
 * of longitude and latitude). What lies within a circle or a box is looked for in the cell that has its centre and the
 * eight round it, as servers do, so that answers come in their order. Facts: the servers themselves
 * (tests/conformance). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "redis/collection.h"
#include "redis/server.h"
#include "redis/zset.h"

enum { STEPS = 26, NEIGHBOURS = 9 };
#define LONGITUDE_MAX 180.0
#define LATITUDE_MAX 85.05112878
#define EARTH_RADIUS_M 6372797.560856
#define MERCATOR_MAX 20037726.37

typedef struct { double min, max; } range;
typedef struct { double x, y; } place;             /* longitude, latitude, in degrees */

/* So many steps of the halving of both ranges: two bits for each, latitude's the lower one. */
typedef struct {
    uint64_t bits;
    int steps;
} cell;

static const range longitudes = { -LONGITUDE_MAX, LONGITUDE_MAX }, latitudes = { -LATITUDE_MAX, LATITUDE_MAX };

static double radians(double degrees) { return degrees * (M_PI / 180); }
static double degrees(double radians) { return radians / (M_PI / 180); }

/* ---- cells ---- */

static uint64_t spread(uint32_t n)
{
    uint64_t all = 0;
    for (int i = 0; i < 32; i++)
        all |= (uint64_t)(n >> i & 1) << (2 * i);
    return all;
}

static uint32_t gather(uint64_t bits)
{
    uint32_t n = 0;
    for (int i = 0; i < 32; i++)
        n |= (uint32_t)(bits >> (2 * i) & 1) << i;
    return n;
}

static uint32_t offset_in(range r, double at, int steps)
{
    return (uint32_t)((at - r.min) / (r.max - r.min) * (double)(UINT64_C(1) << steps));
}

static cell cell_of(place p, range x, range y, int steps)
{
    return (cell){ spread(offset_in(y, p.y, steps)) | spread(offset_in(x, p.x, steps)) << 1, steps };
}

static range part_of(range r, uint32_t at, int steps)
{
    double scale = r.max - r.min, parts = (double)(UINT64_C(1) << steps);
    return (range){ r.min + at / parts * scale, r.min + ((double)at + 1) / parts * scale };
}

typedef struct { range x, y; } area;

static area area_of(cell c)
{
    return (area){ part_of(longitudes, gather(c.bits >> 1), c.steps), part_of(latitudes, gather(c.bits), c.steps) };
}

static double within(double at, double most) { return at > most ? most : at < -most ? -most : at; }

/* ZADD gives any score. Redis leaves to the machine what a negative or too large one is: this is x86-64's answer. */
static uint64_t bits_of(double score)
{
    const double limit = 0x1p63;
    if (score < 0)
        return score > -limit ? (uint64_t)(int64_t)score : UINT64_C(1) << 63;
    return score < 2 * limit ? (uint64_t)score : 0;
}

static place place_of(double score)
{
    area a = area_of((cell){ bits_of(score), STEPS });
    return (place){ within((a.x.min + a.x.max) / 2, LONGITUDE_MAX), within((a.y.min + a.y.max) / 2, LATITUDE_MAX) };
}

/* So many cells to the east and to the north, round the globe. */
static cell beside(cell c, int east, int north)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << c.steps) - 1);
    uint32_t x = (gather(c.bits >> 1) + (uint32_t)east) & mask, y = (gather(c.bits) + (uint32_t)north) & mask;
    return (cell){ spread(y) | spread(x) << 1, c.steps };
}

/* ---- distances, in metres ---- */

static double distance_north(double y1, double y2) { return EARTH_RADIUS_M * fabs(radians(y2) - radians(y1)); }

static double distance(place p, place q)
{
    double v = sin((radians(q.x) - radians(p.x)) / 2), u = sin((radians(q.y) - radians(p.y)) / 2);
    if (v == 0)
        return distance_north(p.y, q.y);
    return 2 * EARTH_RADIUS_M * asin(sqrt(u * u + cos(radians(p.y)) * cos(radians(q.y)) * v * v));
}

/* ---- what is searched ---- */

typedef struct {
    place centre;
    bool box;
    double radius, width, height;  /* in the unit */
    double unit_m;
} shape;

static bool holds(const shape *s, place p, double *far_m)
{
    if (!s->box) {
        *far_m = distance(s->centre, p);
        return *far_m <= s->radius * s->unit_m;
    }
    if (distance_north(p.y, s->centre.y) > s->height * s->unit_m / 2 ||
        distance(p, (place){ s->centre.x, p.y }) > s->width * s->unit_m / 2)
        return false;
    *far_m = distance(s->centre, p);
    return true;
}

static area bounds_of(const shape *s)
{
    double high = s->unit_m * (s->box ? s->height / 2 : s->radius);
    double wide = s->unit_m * (s->box ? s->width / 2 : s->radius);
    double dy = degrees(high / EARTH_RADIUS_M), toward = s->centre.y < 0 ? -dy : dy;
    double dx = degrees(wide / EARTH_RADIUS_M / cos(radians(s->centre.y + toward)));
    return (area){ { s->centre.x - dx, s->centre.x + dx }, { s->centre.y - dy, s->centre.y + dy } };
}

static int steps_for(double radius_m, double y)
{
    int steps = 1;
    if (radius_m == 0)
        return STEPS;
    while (radius_m < MERCATOR_MAX) {
        radius_m *= 2;
        steps++;
    }
    steps -= 2 + (fabs(y) > 66) + (fabs(y) > 80);
    return steps < 1 ? 1 : steps > STEPS ? STEPS : steps;
}

/* The nine cells in the order in which they are searched: where each lies. */
static const struct { int east, north; } directions[NEIGHBOURS] = {
    { 0, 0 }, { 0, 1 }, { 0, -1 }, { 1, 0 }, { -1, 0 }, { 1, 1 }, { -1, 1 }, { 1, -1 }, { -1, -1 },
};

/* One of the four next to the centre does not reach to the bounds. */
static bool too_small(cell c, area b)
{
    return area_of(beside(c, 0, 1)).y.max < b.y.max || area_of(beside(c, 0, -1)).y.min > b.y.min ||
           area_of(beside(c, 1, 0)).x.max < b.x.max || area_of(beside(c, -1, 0)).x.min > b.x.min;
}

/* The cells to search: how many they are. */
static size_t cells_for(const shape *s, cell cells[NEIGHBOURS])
{
    double radius = s->box ? sqrt(s->width / 2 * (s->width / 2) + s->height / 2 * (s->height / 2)) : s->radius;
    area b = bounds_of(s);
    int steps = steps_for(radius * s->unit_m, s->centre.y);
    cell c = cell_of(s->centre, longitudes, latitudes, steps);
    if (steps > 1 && too_small(c, b))
        c = cell_of(s->centre, longitudes, latitudes, --steps);
    area a = area_of(c);
    size_t n = 0;
    for (size_t i = 0; i < NEIGHBOURS; i++) {
        int east = directions[i].east, north = directions[i].north;
        bool useless = steps >= 2 && ((north < 0 && a.y.min < b.y.min) || (north > 0 && a.y.max > b.y.max) ||
                                      (east < 0 && a.x.min < b.x.min) || (east > 0 && a.x.max > b.x.max));
        cell next = beside(c, east, north);
        if (!useless && !(n > 1 && cells[n - 1].bits == next.bits))
            cells[n++] = next;
    }
    return n;
}

/* ---- what was found ---- */

typedef struct {
    str member;
    place at;
    double score, far_m;
    size_t order;                  /* in which it was found */
} found;

typedef struct {
    found *items;
    size_t n;
} founds;

static place place_of_score(double score) { return place_of(fabs(score) < 9e18 ? (double)(int64_t)score : 0); }

static void search_cell(const call *c, const value *v, const shape *s, cell where, size_t most, founds *all)
{
    int up = 2 * (STEPS - where.steps);
    size_t from = zset_lower(v, (double)(where.bits << up), false);
    size_t end = zset_lower(v, (double)((where.bits + 1) << up), false);
    for (size_t i = from; i < end && !(most && all->n >= most); i++) {
        found f = { .order = all->n };
        str member = zset_at(v, i, &f.score);
        f.at = place_of_score(f.score);
        if (!holds(s, f.at, &f.far_m))
            continue;
        f.member = arena_str(c->out, member);
        all->items[all->n++] = f;
    }
}

/* All members within the shape; `most`: so many at most, 0: all. */
static founds search(const call *c, const value *v, const shape *s, size_t most)
{
    cell cells[NEIGHBOURS];
    size_t n = cells_for(s, cells);
    /* at the edges of the globe a cell may come twice */
    founds all = { .items = ARENA_ARRAY(c->out, found, NEIGHBOURS * value_count(v) + 1) };
    for (size_t i = 0; i < n && !(most && all.n >= most); i++)
        search_cell(c, v, s, cells[i], most, &all);
    return all;
}

static int by_distance(const void *x, const void *y)
{
    const found *f = x, *g = y;
    if (f->far_m != g->far_m)
        return f->far_m < g->far_m ? -1 : 1;
    return f->order < g->order ? -1 : 1;
}

static int by_distance_down(const void *x, const void *y)
{
    const found *f = x, *g = y;
    if (f->far_m != g->far_m)
        return f->far_m > g->far_m ? -1 : 1;
    return f->order < g->order ? -1 : 1;
}

/* ---- words ---- */

static bool parse_place(const call *c, size_t at, place *p, reply *r)
{
    if (!parse_score(c, c->argv[at], &p->x) || !parse_score(c, c->argv[at + 1], &p->y))
        return *r = reply_not_float(), false;
    if (!(fabs(p->x) <= LONGITUDE_MAX) || !(fabs(p->y) <= LATITUDE_MAX))
        return *r = reply_error(arena_printf(c->out, "ERR invalid longitude,latitude pair %f,%f", p->x, p->y)), false;
    return true;
}

static bool parse_unit(const call *c, size_t at, double *m, reply *r)
{
    static const struct { const char *name; double m; } units[] = {
        { "m", 1 }, { "km", 1000 }, { "ft", 0.3048 }, { "mi", 1609.34 },
    };
    for (size_t i = 0; i < COUNT(units); i++)
        if (arg_is(c, at, str_from(units[i].name)))
            return *m = units[i].m, true;
    *r = reply_error(S("ERR unsupported unit provided. please use M, KM, FT, MI"));
    return false;
}

static bool parse_length(const call *c, size_t at, const char *what, double *length, reply *r)
{
    if (parse_score(c, c->argv[at], length))
        return true;
    *r = reply_error(arena_printf(c->out, "ERR need numeric %s", what));
    return false;
}

static bool parse_radius(const call *c, size_t at, shape *s, reply *r)
{
    s->box = false;
    if (!parse_length(c, at, "radius", &s->radius, r))
        return false;
    if (s->radius < 0)
        return *r = reply_error(S("ERR radius cannot be negative")), false;
    return parse_unit(c, at + 1, &s->unit_m, r);
}

static bool parse_box(const call *c, size_t at, shape *s, reply *r)
{
    s->box = true;
    if (!parse_length(c, at, "width", &s->width, r) || !parse_length(c, at + 1, "height", &s->height, r))
        return false;
    if (s->width < 0 || s->height < 0)
        return *r = reply_error(S("ERR height or width cannot be negative")), false;
    return parse_unit(c, at + 2, &s->unit_m, r);
}

static bool place_of_member(const call *c, const value *v, str member, place *p, reply *r)
{
    double score;
    if (!zset_score(v, member, &score)) {
        *r = server_follows(c->server, RULE_PLACE_NAMED)
             ? reply_error_naming(c, "ERR member % does not exist", member, S(""))
             : reply_error(S("ERR could not decode requested zset member"));
        return false;
    }
    *p = place_of_score(score);
    return true;
}

/* ---- GEOADD, GEOPOS, GEODIST, GEOHASH ---- */

/* GEOADD key [NX|XX] [CH] longitude latitude member [...]: is ZADD with the scores of the places. */
static reply cmd_geoadd(const call *c)
{
    size_t at = 2;
    bool nx = false, xx = false;
    reply r;
    for (; at < c->argc && (arg_is(c, at, S("nx")) || arg_is(c, at, S("xx")) || arg_is(c, at, S("ch"))); at++) {
        nx |= arg_is(c, at, S("nx"));
        xx |= arg_is(c, at, S("xx"));
    }
    if ((c->argc - at) % 3 || (nx && xx))
        return reply_syntax();
    str *argv = ARENA_ARRAY(c->out, str, c->argc + 1);
    size_t n = 1;
    argv[0] = S("zadd");
    for (size_t i = 1; i < at; i++)
        argv[n++] = c->argv[i];
    for (; at < c->argc; at += 3) {
        place p;
        if (!parse_place(c, at, &p, &r))
            return r;
        argv[n++] = arena_printf(c->out, "%llu",
                                 (unsigned long long)cell_of(p, longitudes, latitudes, STEPS).bits);
        argv[n++] = c->argv[at + 2];
    }
    call add = *c;
    add.argv = argv;
    add.argc = n;
    return command_find(c->server->dialect, S("zadd"))->run(&add);
}

static reply degrees_reply(const call *c, double d)
{
    bool shortly = server_follows(c->server, RULE_SHORT_DEGREES);
    return (reply){ .kind = REPLY_DOUBLE, .number = d,
                    .text = shortly ? score_text(c->server, c->out, d) : format_long_double(c->out, d) };
}

static reply place_reply(const call *c, place p)
{
    reply r = reply_items(c->out, REPLY_ARRAY, 2);
    r.items[0] = degrees_reply(c, p.x);
    r.items[1] = degrees_reply(c, p.y);
    return r;
}

static reply distance_reply(const call *c, double length) { return reply_bulk(arena_printf(c->out, "%.4f", length)); }

/* GEOPOS key [member ...] */
static reply cmd_geopos(const call *c)
{
    value *v;
    reply r;
    double score;
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    r = reply_items(c->out, REPLY_ARRAY, c->argc - 2);
    for (size_t i = 0; i < r.count; i++) {
        bool there = v && zset_score(v, c->argv[i + 2], &score);
        r.items[i] = there ? place_reply(c, place_of_score(score)) : reply_nil_array();
    }
    return r;
}

/* GEODIST key member member [unit] */
static reply cmd_geodist(const call *c)
{
    value *v;
    reply r;
    double unit_m = 1, from, to;
    if (c->argc == 5 && !parse_unit(c, 4, &unit_m, &r))
        return r;
    if (c->argc > 5)
        return reply_syntax();
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    if (!v || !zset_score(v, c->argv[2], &from) || !zset_score(v, c->argv[3], &to))
        return reply_nil();
    return distance_reply(c, distance(place_of_score(from), place_of_score(to)) / unit_m);
}

/* As others write a geohash: five bits a letter, over latitudes to the poles. */
static reply geohash_reply(const call *c, double score)
{
    enum { LETTERS = 11, BITS = 5 };
    static const char alphabet[] = "0123456789bcdefghjkmnpqrstuvwxyz";
    uint64_t bits = cell_of(place_of_score(score), longitudes, (range){ -90, 90 }, STEPS).bits;
    char text[LETTERS];
    for (int i = 0; i < LETTERS; i++)
        text[i] = alphabet[i == LETTERS - 1 ? 0 : bits >> (2 * STEPS - (i + 1) * BITS) & 31];
    return reply_bulk(arena_str(c->out, (str){ text, LETTERS }));
}

/* GEOHASH key [member ...] */
static reply cmd_geohash(const call *c)
{
    value *v;
    reply r;
    double score;
    if (!find_kind(c, c->argv[1], VALUE_ZSET, &v, &r))
        return r;
    r = reply_items(c->out, REPLY_ARRAY, c->argc - 2);
    for (size_t i = 0; i < r.count; i++)
        r.items[i] = v && zset_score(v, c->argv[i + 2], &score) ? geohash_reply(c, score) : reply_nil();
    return r;
}

/* ---- searches ---- */

typedef enum { BY_PLACE, BY_MEMBER, SEARCH, SEARCH_STORE } search_kind;

typedef struct {
    shape s;
    bool with_distance, with_hash, with_place, any, from_member, from_place, by_radius, by_box, store_distance;
    int sort;                      /* 1, -1; 0: as they are found */
    int64_t count;                 /* 0: all */
    const str *store;              /* NULL: they are answered */
} search_args;

static bool searches(search_kind kind) { return kind == SEARCH || kind == SEARCH_STORE; }

/* FROMMEMBER, FROMLONLAT, BYRADIUS, BYBOX of GEOSEARCH; true with *r.kind REPLY_NIL: it is none of them. */
static bool parse_where(const call *c, const value *v, size_t *at, search_args *a, reply *r)
{
    size_t more = c->argc - *at - 1, i = *at + 1;
    *r = reply_status(S(""));
    if (more >= 1 && arg_is(c, *at, S("frommember")) && !a->from_place) {
        a->from_member = true;
        *at += 1;
        return !v || place_of_member(c, v, c->argv[i], &a->s.centre, r);
    }
    if (more >= 2 && arg_is(c, *at, S("fromlonlat")) && !a->from_member) {
        a->from_place = true;
        *at += 2;
        return parse_place(c, i, &a->s.centre, r);
    }
    if (more >= 2 && arg_is(c, *at, S("byradius")) && !a->by_box) {
        a->by_radius = true;
        *at += 2;
        return parse_radius(c, i, &a->s, r);
    }
    if (more >= 3 && arg_is(c, *at, S("bybox")) && !a->by_radius) {
        a->by_box = true;
        *at += 3;
        return parse_box(c, i, &a->s, r);
    }
    if (more >= 1 && arg_is(c, *at, S("bypolygon")) && server_follows(c->server, RULE_POLYGONS)) {
        *r = reply_error(S("ERR locksim refuses 'geosearch' with BYPOLYGON: it knows circles and boxes only"));
        return false;
    }
    *r = reply_nil();
    return true;
}

static bool parse_count(const call *c, size_t at, int64_t *count, reply *r)
{
    if (!parse_int(c->argv[at], count))
        return *r = reply_not_integer(), false;
    if (*count <= 0)
        return *r = reply_error(S("ERR COUNT must be > 0")), false;
    return true;
}

/* One option at *at, which moves to its last word. */
static bool parse_search_option(const call *c, const value *v, search_kind kind, bool may_store, size_t *at,
                                search_args *a, reply *r)
{
    const struct { str name; bool *flag; } flags[] = {
        { S("withdist"), &a->with_distance }, { S("withhash"), &a->with_hash }, { S("withcoord"), &a->with_place },
        { S("any"), &a->any },
    };
    bool more = *at + 1 < c->argc;
    for (size_t i = 0; i < COUNT(flags); i++)
        if (arg_is(c, *at, flags[i].name))
            return *flags[i].flag = true;
    if (arg_is(c, *at, S("asc")) || arg_is(c, *at, S("desc")))
        return a->sort = arg_is(c, *at, S("asc")) ? 1 : -1, true;
    if (more && arg_is(c, *at, S("count")))
        return parse_count(c, ++*at, &a->count, r);
    if (kind == SEARCH_STORE && arg_is(c, *at, S("storedist")))
        return a->store_distance = true;
    if (more && may_store && (arg_is(c, *at, S("store")) || arg_is(c, *at, S("storedist")))) {
        a->store_distance = arg_is(c, *at, S("storedist"));
        a->store = &c->argv[++*at];
        return true;
    }
    if (searches(kind)) {
        if (!parse_where(c, v, at, a, r))
            return false;
        if (r->kind != REPLY_NIL)
            return true;
    }
    return *r = reply_syntax(), false;
}

static bool options_agree(const call *c, search_kind kind, const search_args *a, reply *r)
{
    const char *what = NULL;
    if (a->store && (a->with_distance || a->with_hash || a->with_place)) {
        *r = reply_error(arena_printf(c->out, "ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
                                      kind == SEARCH_STORE ? "GEOSEARCHSTORE" : "STORE option in GEORADIUS"));
        return false;
    }
    if (searches(kind) && !a->from_member && !a->from_place)
        what = "ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for %.*s";
    else if (searches(kind) && !a->by_radius && !a->by_box)
        what = server_follows(c->server, RULE_POLYGONS)
               ? "ERR exactly one of BYRADIUS, BYBOX and BYPOLYGON can be specified for %.*s"
               : "ERR exactly one of BYRADIUS and BYBOX can be specified for %.*s";
    if (what)
        return *r = reply_error(arena_printf(c->out, what, STR_ARG(c->argv[0]))), false;
    if (a->any && !a->count)
        return *r = reply_error(S("ERR the ANY argument requires COUNT argument")), false;
    return true;
}

/* The words before the options: where they end. */
static bool parse_search(const call *c, const value *v, search_kind kind, bool may_store, search_args *a, reply *r)
{
    static const size_t options_at[] = { [BY_PLACE] = 6, [BY_MEMBER] = 5, [SEARCH] = 2, [SEARCH_STORE] = 3 };
    *a = (search_args){ .s = { .unit_m = 1 }, .store = kind == SEARCH_STORE ? &c->argv[1] : NULL };
    if (kind == BY_PLACE && (!parse_place(c, 2, &a->s.centre, r) || !parse_radius(c, 4, &a->s, r)))
        return false;
    if (kind == BY_MEMBER && v &&
        (!place_of_member(c, v, c->argv[2], &a->s.centre, r) || !parse_radius(c, 3, &a->s, r)))
        return false;
    for (size_t at = options_at[kind]; at < c->argc; at++)
        if (!parse_search_option(c, v, kind, may_store, &at, a, r))
            return false;
    return options_agree(c, kind, a, r);
}

static reply found_reply(const call *c, const search_args *a, const found *f)
{
    size_t n = 1;
    if (!a->with_distance && !a->with_hash && !a->with_place)
        return reply_bulk(f->member);
    reply r = reply_items(c->out, REPLY_ARRAY, 4);
    r.items[0] = reply_bulk(f->member);
    if (a->with_distance)
        r.items[n++] = distance_reply(c, f->far_m / a->s.unit_m);
    if (a->with_hash)
        r.items[n++] = reply_integer((int64_t)f->score);
    if (a->with_place)
        r.items[n++] = place_reply(c, f->at);
    r.count = n;
    return r;
}

static reply store_found(const call *c, search_kind kind, const search_args *a, const founds *all, size_t n)
{
    value *result = value_new(VALUE_ZSET);
    for (size_t i = 0; i < n; i++)
        zset_put(result, all->items[i].member,
                 a->store_distance ? all->items[i].far_m / a->s.unit_m : all->items[i].score);
    collection_store(c, *a->store, result,
                     (happened){ NOTIFY_ZSET, kind == SEARCH_STORE ? "geosearchstore" : "georadiusstore" });
    return reply_integer((int64_t)n);
}

static reply geo_search(const call *c, search_kind kind, bool may_store)
{
    search_args a;
    value *v;
    reply r;
    if (!find_kind(c, c->argv[kind == SEARCH_STORE ? 2 : 1], VALUE_ZSET, &v, &r) ||
        !parse_search(c, v, kind, may_store, &a, &r))
        return r;
    founds all = v ? search(c, v, &a.s, a.any ? (size_t)a.count : 0) : (founds){ .n = 0 };
    if (a.count && !a.sort && !a.any)
        a.sort = 1;
    if (a.sort && all.n)
        qsort(all.items, all.n, sizeof *all.items, a.sort > 0 ? by_distance : by_distance_down);
    size_t n = a.count && (uint64_t)a.count < all.n ? (size_t)a.count : all.n;
    if (a.store)
        return store_found(c, kind, &a, &all, n);
    r = reply_items(c->out, REPLY_ARRAY, n);
    for (size_t i = 0; i < n; i++)
        r.items[i] = found_reply(c, &a, &all.items[i]);
    return r;
}

static reply cmd_georadius(const call *c) { return geo_search(c, BY_PLACE, true); }
static reply cmd_georadius_ro(const call *c) { return geo_search(c, BY_PLACE, false); }
static reply cmd_georadiusbymember(const call *c) { return geo_search(c, BY_MEMBER, true); }
static reply cmd_georadiusbymember_ro(const call *c) { return geo_search(c, BY_MEMBER, false); }
static reply cmd_geosearch(const call *c) { return geo_search(c, SEARCH, false); }
static reply cmd_geosearchstore(const call *c) { return geo_search(c, SEARCH_STORE, false); }

const command commands_geo[] = {
    { .name = "geoadd", -5, CMD_WRITE | CMD_DENYOOM, 1, 1, 1, cmd_geoadd },
    { .name = "geodist", -4, CMD_READONLY, 1, 1, 1, cmd_geodist },
    { .name = "geohash", -2, CMD_READONLY, 1, 1, 1, cmd_geohash },
    { .name = "geopos", -2, CMD_READONLY, 1, 1, 1, cmd_geopos },
    { .name = "georadius", -6, CMD_WRITE | CMD_DENYOOM | CMD_STORES | CMD_STORES_PLACES, 1, 1, 1, cmd_georadius },
    { .name = "georadius_ro", -6, CMD_READONLY, 1, 1, 1, cmd_georadius_ro },
    { .name = "georadiusbymember", -5, CMD_WRITE | CMD_DENYOOM | CMD_STORES | CMD_STORES_PLACES, 1, 1, 1,
      cmd_georadiusbymember },
    { .name = "georadiusbymember_ro", -5, CMD_READONLY, 1, 1, 1, cmd_georadiusbymember_ro },
    { .name = "geosearch", -7, CMD_READONLY, 1, 1, 1, cmd_geosearch },
    { .name = "geosearchstore", -8, CMD_WRITE | CMD_DENYOOM, 1, 2, 1, cmd_geosearchstore },
    { .name = NULL },
};
