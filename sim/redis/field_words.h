/* field_words.h - the syntax of the commands on fields that expire, in each lineage: their words, the order of the
 * checks, and the errors. Only field.c includes this file. */
#ifndef LOCKSIM_REDIS_FIELD_WORDS_H
#define LOCKSIM_REDIS_FIELD_WORDS_H

#include "redis/command.h"

enum { SET_IF_NO_FIELD = 1, SET_IF_FIELDS = 2, SET_KEEP_DEADLINE = 4, SET_IF_NO_KEY = 8, SET_IF_KEY = 16 };

typedef struct {
    size_t first, count;           /* of the fields: argv[first ...]; HSETEX has a value after each */
    unsigned conditions;           /* NX, XX, GT, LT: deadline.h */
    unsigned set;                  /* HSETEX: SET_ above */
    bool dated, persist;
    int64_t deadline_ms;           /* if dated; it may lie in the past */
} field_words;

/* Each: true, the words, and the hash under argv[1] (NULL: no such key); false and *r the reply instead. */
bool field_words_expire(const call *c, const char *name, unsigned form, field_words *w, value **v, reply *r);
/* FIELDS n field ..., and nothing else. */
typedef enum { FIELD_WORDS_TTL, FIELD_WORDS_PERSIST, FIELD_WORDS_GETDEL } field_words_of;
bool field_words_fields(const call *c, field_words_of of, field_words *w, value **v, reply *r);
bool field_words_getex(const call *c, field_words *w, value **v, reply *r);
/* Also false, with the reply 0, if SET_IF_NO_KEY or SET_IF_KEY requires it. */
bool field_words_setex(const call *c, field_words *w, value **v, reply *r);

#endif
