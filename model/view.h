/* view.h - what drivers say, parsed and kept: operations, modes, and the server's account of a lock. Pure functions. */
#ifndef LOCKSIM_MODEL_VIEW_H
#define LOCKSIM_MODEL_VIEW_H

#include "model/model.h"

#define NEVER_MS INT64_MAX             /* an instant that does not come */

typedef enum { OP_OTHER, OP_ACQUIRE, OP_RELEASE, OP_RENEW, OP_FORCE_RELEASE, OP_ABANDON, OP_LISTEN, OP_KINDS } op_kind;
/* Readers do not conflict with readers, permits with nothing; all else excludes. */
typedef enum { MODE_EXCLUSIVE, MODE_READ, MODE_PERMIT, MODE_UNSAID } mode_kind;

/* A driver's word for an operation, parsed once. */
typedef struct {
    str name;
    op_kind kind;
    mode_kind mode;        /* of "release_read": which of the owner's holds is meant; MODE_UNSAID otherwise */
} op_word;

/* A view as the model keeps it. Lives in `memory`, which is used again for the next one. */
typedef struct {
    arena *memory;         /* NULL: it has none yet */
    lock_holder *holders;
    size_t holder_count;
    str *queue;
    size_t queue_count;
    str *lapsed;           /* over by their own time, and still stored */
    size_t lapsed_count;
    bool has_ttl;
    int64_t deadline_ms;   /* the last millisecond of the key's life; NEVER_MS without TTL or key */
    int64_t permits;       /* of a semaphore: to be had */
} kept_view;

mode_kind mode_parse(str mode);
bool modes_conflict(mode_kind a, mode_kind b);
op_kind op_parse(str op);
int64_t view_count(const kept_view *v, str id);                    /* holds of `id` in all modes */
int64_t view_count_mode(const kept_view *v, str id, mode_kind mode);
const lock_holder *view_holder(const kept_view *v, str id, str mode);
bool view_free(const kept_view *v, int64_t now_ms);
int64_t view_gain(const kept_view *before, const kept_view *after);    /* of a semaphore: permits that somebody got */
bool view_lapsed(const kept_view *v, str id);
size_t view_place(const kept_view *v, str id);                     /* in the queue, or queue_count */
int64_t time_after(int64_t at_ms, int64_t ms);                     /* their sum, at most NEVER_MS - 1 */

#endif
