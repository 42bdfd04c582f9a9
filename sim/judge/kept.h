/* kept.h - a scenario that is judged again and again, of which only scripts change: it stays loaded, and what was
 * learned of its clients stays known. What a client does follows from what it was answered, whatever the script was
 * that answered. */
#ifndef LOCKSIM_JUDGE_KEPT_H
#define LOCKSIM_JUDGE_KEPT_H

#include "judge/judge.h"

typedef struct kept kept;
/* As judge_file, and with the same result but for `client_runs` and `bytes` of the search. *k: of this scenario, NULL
 * for the first time; it is made, used or dropped, and must outlive the result. p->cancel is asked whether anybody
 * still wants it. */
void judge_again(const options *o, str path, progress *p, kept **k, judged *out);
void kept_free(kept *k);                           /* NULL is fine */
size_t kept_bytes(const kept *k);                  /* of memory, about; NULL: 0 */

#endif
