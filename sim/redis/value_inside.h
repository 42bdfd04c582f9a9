/* value_inside.h - how values are built, for the files that build them. Every element is a block of its own, so that
 * moving elements about moves pointers only. No other file may include this one. */
#ifndef LOCKSIM_REDIS_VALUE_INSIDE_H
#define LOCKSIM_REDIS_VALUE_INSIDE_H

#include <assert.h>

#include "redis/dict.h"
#include "redis/sorted.h"
#include "redis/value.h"

/* An element of a list. */
typedef struct {
    size_t n;
    char p[];
} cell;

/* A member of a set. */
typedef struct {
    size_t n;
    bool is_integer;
    int64_t integer;
    const char *p;                                 /* follows this struct, or borrowed in a probe */
} member;

struct hash_field {
    UT_hash_handle hh;
    char *text;                                    /* own block: a hash value is overwritten far more often than
                                                    * added */
    size_t text_n, text_cap;
    int64_t deadline_ms;                           /* or FIELD_NO_DEADLINE */
    size_t n;
    char name[];
};

/* A member of a sorted set: in the table by name and in the sequence by score and name. */
typedef struct {
    UT_hash_handle hh;
    double score;
    size_t n;
    const char *p;                                 /* follows this struct, or borrowed in a probe */
} scored;

typedef struct {
    char *p;
    size_t n, cap;
    text_form form;
} text_value;

typedef struct {
    hash_field *fields;
    size_t dated;
    bool in_order;                                 /* see hash_set_deadline */
} hash_value;

/* at[head .. head + count): room on both sides. */
typedef struct {
    cell **at;
    size_t head, count, cap;
} list_value;

typedef struct {
    sorted members;
    size_t others;                                 /* members that are no canonical integer */
    bool numeric;                                  /* the order in use */
} set_value;

typedef struct {
    scored *by_name;
    sorted by_score;
} zset_value;

typedef struct {
    stream_id id;
    size_t n, bytes;
    str texts[];                                   /* pointing behind themselves */
} stream_entry;

/* at[head .. head + count) */
typedef struct {
    stream_entry **at;
    size_t head, count, cap;
    stream_past past;
    sorted groups;                                 /* by name */
} stream_value;

struct value {
    value_kind kind;
    packing packing;                               /* follows what it holds once it has a home */
    size_t bytes;
    value_home *home;                              /* see value_account; NULL: none yet */
    union {
        text_value text;
        list_value list;
        hash_value hash;
        set_value set;
        zset_value zset;
        stream_value stream;
    } as;
};

enum { ELEMENT_BYTES = 64 };                       /* blocks, pointers, table entries: about */

static inline void count_added(value *v, size_t bytes)
{
    v->bytes += bytes;
    if (v->home)
        v->home->bytes += bytes;
}

static inline void count_removed(value *v, size_t bytes)
{
    assert(v->bytes >= bytes);
    v->bytes -= bytes;
    if (v->home)
        v->home->bytes -= bytes;
}

/* packing.c: as it would be if it were put together anew; the element is there, or got another text. */
packing packing_by_content(const value *v);
void packing_grew(value *v, str name, str text);

/* Everything inside, but not the value's own block. */
void set_free_members(set_value *s);
void zset_free_members(zset_value *z);
void stream_free_entries(stream_value *s);
void stream_free_groups(stream_value *s);
void stream_copy_groups(value *to, const value *from);

#endif
