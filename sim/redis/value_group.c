/* value_group.c - consumer groups of streams: how far each has read, its consumers, and the entries that they have not
 * acknowledged. An entry is pending for one consumer of a group at most. */
#include <string.h>

#include "redis/value_inside.h"

/* Names come first: a probe is a name alone. */
struct stream_group {
    str name;
    stream_progress progress;
    sorted consumers, pending;
};

static sorted *groups_of(const value *v)
{
    assert(v->kind == VALUE_STREAM);
    return (sorted *)&v->as.stream.groups;
}

static int by_name(const void *item, const void *probe)
{
    const str *x = item, *y = probe;
    return str_cmp(*x, *y);
}

static int by_id(const void *item, const void *probe)
{
    const stream_pending *x = item, *y = probe;
    return stream_id_cmp(x->id, y->id);
}

/* A block of that many bytes with the name behind it. */
static void *named_new(size_t bytes, str name)
{
    char *block = mem_zero(bytes + name.n);
    if (name.n)
        memcpy(block + bytes, name.p, name.n);
    *(str *)(void *)block = (str){ block + bytes, name.n };
    return block;
}

static size_t group_bytes(const stream_group *g) { return sizeof *g + g->name.n + ELEMENT_BYTES; }
static size_t consumer_bytes(const stream_consumer *c) { return sizeof *c + c->name.n + ELEMENT_BYTES; }
enum { PENDING_BYTES = sizeof(stream_pending) + ELEMENT_BYTES };

/* ---- groups ---- */

size_t stream_groups(const value *v) { return groups_of(v)->count; }
stream_group *stream_group_at(const value *v, size_t i) { return sorted_at(groups_of(v), i); }
stream_group *stream_group_find(const value *v, str name) { return sorted_find(groups_of(v), by_name, &name); }
str stream_group_name(const stream_group *g) { return g->name; }
stream_progress stream_group_progress(const stream_group *g) { return g->progress; }
void stream_group_set_progress(stream_group *g, stream_progress progress) { g->progress = progress; }

stream_group *stream_group_add(value *v, str name, stream_progress progress)
{
    stream_group *g = named_new(sizeof *g, name);
    g->progress = progress;
    sorted_insert(groups_of(v), by_name, g);
    count_added(v, group_bytes(g));
    return g;
}

static void free_items(sorted *s)
{
    for (size_t i = 0; i < s->count; i++)
        mem_free(sorted_at(s, i));
    sorted_free(s);
}

static void group_free(stream_group *g)
{
    free_items(&g->pending);
    free_items(&g->consumers);
    mem_free(g);
}

void stream_group_remove(value *v, stream_group *g)
{
    size_t bytes = group_bytes(g) + g->pending.count * PENDING_BYTES;
    for (size_t i = 0; i < g->consumers.count; i++)
        bytes += consumer_bytes(sorted_at(&g->consumers, i));
    sorted_remove(groups_of(v), by_name, g);
    group_free(g);
    count_removed(v, bytes);
}

/* ---- consumers ---- */

size_t stream_consumers(const stream_group *g) { return g->consumers.count; }
stream_consumer *stream_consumer_at(const stream_group *g, size_t i) { return sorted_at(&g->consumers, i); }

stream_consumer *stream_consumer_find(const stream_group *g, str name)
{
    return sorted_find(&g->consumers, by_name, &name);
}

stream_consumer *stream_consumer_add(value *v, stream_group *g, str name, int64_t seen_ms)
{
    stream_consumer *c = named_new(sizeof *c, name);
    c->seen_ms = seen_ms;
    c->active_ms = STREAM_NEVER;
    sorted_insert(&g->consumers, by_name, c);
    count_added(v, consumer_bytes(c));
    return c;
}

void stream_consumer_remove(value *v, stream_group *g, stream_consumer *c)
{
    for (size_t i = g->pending.count; i-- > 0 && c->pending > 0;) {
        const stream_pending *p = sorted_at(&g->pending, i);
        if (p->owner == c)
            stream_pending_remove(v, g, p->id);
    }
    sorted_remove(&g->consumers, by_name, c);
    count_removed(v, consumer_bytes(c));
    mem_free(c);
}

/* ---- pending entries ---- */

size_t stream_pendings(const stream_group *g) { return g->pending.count; }
const stream_pending *stream_pending_at(const stream_group *g, size_t i) { return sorted_at(&g->pending, i); }

static stream_pending *pending_find(const stream_group *g, stream_id id)
{
    return sorted_find(&g->pending, by_id, &(stream_pending){ .id = id });
}

const stream_pending *stream_pending_find(const stream_group *g, stream_id id) { return pending_find(g, id); }

size_t stream_pending_lower(const stream_group *g, stream_id id)
{
    return sorted_lower(&g->pending, by_id, &(stream_pending){ .id = id });
}

void stream_pending_put(value *v, stream_group *g, stream_pending what)
{
    stream_pending *p = pending_find(g, what.id);
    assert(what.owner);
    if (p) {
        p->owner->pending--;
        *p = what;
    } else {
        p = mem_alloc(sizeof *p);
        *p = what;
        sorted_insert(&g->pending, by_id, p);
        count_added(v, PENDING_BYTES);
    }
    what.owner->pending++;
}

void stream_pending_remove(value *v, stream_group *g, stream_id id)
{
    stream_pending *p = sorted_remove(&g->pending, by_id, &(stream_pending){ .id = id });
    if (!p)
        return;
    assert(p->owner->pending > 0);
    p->owner->pending--;
    mem_free(p);
    count_removed(v, PENDING_BYTES);
}

/* ---- all of a stream ---- */

static void copy_group(value *to, const stream_group *from)
{
    stream_group *g = stream_group_add(to, from->name, from->progress);
    for (size_t i = 0; i < from->consumers.count; i++) {
        const stream_consumer *c = sorted_at(&from->consumers, i);
        stream_consumer_add(to, g, c->name, c->seen_ms)->active_ms = c->active_ms;
    }
    for (size_t i = 0; i < from->pending.count; i++) {
        stream_pending p = *(const stream_pending *)sorted_at(&from->pending, i);
        p.owner = stream_consumer_find(g, p.owner->name);
        stream_pending_put(to, g, p);
    }
}

void stream_copy_groups(value *to, const value *from)
{
    for (size_t i = 0; i < stream_groups(from); i++)
        copy_group(to, stream_group_at(from, i));
}

void stream_free_groups(stream_value *s)
{
    for (size_t i = 0; i < s->groups.count; i++)
        group_free(sorted_at(&s->groups, i));
    sorted_free(&s->groups);
}
