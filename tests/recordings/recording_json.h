/* recording_json.h - recordings are JSON whose strings hold bytes, one character (U+0000 to U+00FF) for each; and what
 * a server answers, in the words of the recordings. */
#ifndef LOCKSIM_TESTS_RECORDING_JSON_H
#define LOCKSIM_TESTS_RECORDING_JSON_H

#include <jansson.h>

#include "redis/reply.h"

/* Ends the program with a message if the line is no JSON. `path` names it. */
json_t *json_of_line(const char *line, const char *path);
json_t *json_of_bytes(str s);
/* A string, or a number as its digits, as bytes in the arena. */
str bytes_of_json(arena *a, const json_t *value);

/* {"int":n} {"bulk":s} {"status":s} {"nil":true} {"array":[...]} {"error":s}; an error without what Redis appends about
 * the script, and a run-time error of Lua as "ERR user_script: " and its kind. */
json_t *json_of_reply(const reply *r);
/* A reply { { name, type, values, pttl } ... } as a list of { key, type, value, pttl }: a hash as an object, a sorted
 * set as one of scores. */
json_t *json_of_keyspace(const reply *all);

#endif
