/* value_stream.c - streams: entries in the order of their ids, appended at the end, cut off at the beginning, taken out
 * anywhere. */
#include <string.h>

#include "redis/value_inside.h"

static stream_value *stream_of(const value *v)
{
    assert(v->kind == VALUE_STREAM);
    return (stream_value *)&v->as.stream;
}

int stream_id_cmp(stream_id x, stream_id y)
{
    if (x.ms != y.ms)
        return x.ms < y.ms ? -1 : 1;
    return x.seq < y.seq ? -1 : x.seq > y.seq;
}

stream_past stream_past_of(const value *v)
{
    return stream_of(v)->past;
}

void stream_set_past(value *v, stream_past past)
{
    stream_of(v)->past = past;
}

stream_id stream_last(const value *v)
{
    return stream_of(v)->past.last;
}

static stream_entry *entry_new(stream_id id, const str *texts, size_t n, size_t *bytes)
{
    *bytes = sizeof(stream_entry) + n * sizeof *texts;
    for (size_t i = 0; i < n; i++)
        *bytes += texts[i].n;
    stream_entry *e = mem_alloc(*bytes);
    char *text = (char *)(e->texts + n);
    e->id = id;
    e->n = n;
    e->bytes = *bytes;
    for (size_t i = 0; i < n; i++) {
        e->texts[i] = (str){ text, texts[i].n };
        if (texts[i].n)
            memcpy(text, texts[i].p, texts[i].n);
        text += texts[i].n;
    }
    return e;
}

void stream_append(value *v, stream_id id, const str *texts, size_t n)
{
    stream_value *s = stream_of(v);
    size_t bytes;
    assert(stream_id_cmp(id, s->past.last) > 0);
    if (s->head > 0 && s->head + s->count == s->cap) {         /* what was cut off makes room */
        memmove(s->at, s->at + s->head, s->count * sizeof *s->at);
        s->head = 0;
    }
    MEM_RESERVE(s->at, s->cap, s->head + s->count + 1);
    s->at[s->head + s->count++] = entry_new(id, texts, n, &bytes);
    s->past.last = id;
    s->past.added++;
    count_added(v, bytes);
}

stream_id stream_at(const value *v, size_t i, const str **texts, size_t *n)
{
    const stream_value *s = stream_of(v);
    assert(i < s->count);
    const stream_entry *e = s->at[s->head + i];
    *texts = e->texts;
    *n = e->n;
    return e->id;
}

size_t stream_lower(const value *v, stream_id id)
{
    const stream_value *s = stream_of(v);
    size_t lo = 0, hi = s->count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (stream_id_cmp(s->at[s->head + middle]->id, id) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

void stream_remove(value *v, size_t from, size_t count)
{
    stream_value *s = stream_of(v);
    assert(from <= s->count && count <= s->count - from);
    stream_entry **at = s->at + s->head + from;
    for (size_t i = 0; i < count; i++) {
        count_removed(v, at[i]->bytes);
        mem_free(at[i]);
    }
    if (from == 0)
        s->head += count;
    else if (count)
        memmove(at, at + count, (s->count - from - count) * sizeof *at);
    s->count -= count;
}

void stream_delete(value *v, size_t place)
{
    const str *texts;
    size_t n;
    stream_id id = stream_at(v, place, &texts, &n);
    stream_past *past = &stream_of(v)->past;
    if (stream_id_cmp(id, past->deleted) > 0)
        past->deleted = id;
    stream_remove(v, place, 1);
}

void stream_free_entries(stream_value *s)
{
    for (size_t i = 0; i < s->count; i++)
        mem_free(s->at[s->head + i]);
    mem_free(s->at);
}
