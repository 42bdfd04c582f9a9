/* kept.h - a scenario that is judged again and again while only scripts change: it stays loaded, and what was learned
 * of its clients is kept. A client's behaviour follows from its answers, whatever script gave them. */
#ifndef LOCKSIM_JUDGE_KEPT_H
#define LOCKSIM_JUDGE_KEPT_H

#include "judge/judge.h"

typedef struct kept kept;
/* As judge_file, with the same result except for `client_runs`, `client_repeats` and `bytes` of the search. *k: of this
 * scenario, at first NULL; it is made, used or dropped, and must outlive the result. p->cancel says whether the result
 * is still wanted. */
void judge_again(const options *o, str path, progress *p, kept **k, judged *out);
void kept_free(kept *k);                           /* NULL is fine */
size_t kept_bytes(const kept *k);                  /* approximate memory; NULL: 0 */

#endif
