/* answer.h - is an answer that a log has the one that our server gives? */
#ifndef LOCKSIM_TRACE_ANSWER_H
#define LOCKSIM_TRACE_ANSWER_H

#include "redis/reply.h"

/* Clients write answers down in their own way: a status is a text, no list is nothing, and errors have other words. */
bool answer_same(const reply *x, const reply *y);

#endif
