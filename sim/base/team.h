/* team.h - threads that one thread calls again and again for short pieces of work; and cores that several teams
 * share. */
#ifndef LOCKSIM_BASE_TEAM_H
#define LOCKSIM_BASE_TEAM_H

#include <stddef.h>

enum { TEAM_MAX = 64 };

/* Its threads are made when they are first needed, and wait for work until it is freed. */
typedef struct team team;
team *team_new(void);
void team_free(team *t);                           /* NULL is fine */
/* Calls work(context, member, i) for i = 0 .. count - 1, begun in this order by so many members, 1 <= members <=
 * TEAM_MAX, numbered from 0, of which the caller's thread is 0; returns when all are done. Where the machine gives no
 * more threads, fewer do it. */
void team_run(team *t, size_t members, size_t count, void (*work)(void *context, size_t member, size_t i),
              void *context);

/* ---- cores that are not in use: any thread may take some, and gives them back ---- */

typedef struct cores cores;
cores *cores_new(size_t idle);
void cores_free(cores *c);                         /* NULL is fine */
/* Returns how many it took, `most` at most. With `c` NULL there are none. */
size_t cores_take(cores *c, size_t most);
void cores_give(cores *c, size_t count);

#endif
