/* command_facts.h - what COMMAND tells of commands beside arity and flags: categories, tips, and what is done with
 * which keys. Only sim/redis includes this file. */
#ifndef LOCKSIM_REDIS_COMMAND_FACTS_H
#define LOCKSIM_REDIS_COMMAND_FACTS_H

#include "redis/command.h"
#include "redis/server.h"

bool facts_known(const command *row, dialect d);
/* "string", in any case of letters */
bool facts_in_category(const command *row, dialect d, str category);
/* As COMMAND INFO answers them. */
reply facts_categories(const call *c, const command *row);
reply facts_tips(const call *c, const command *row);
reply facts_keys(const call *c, const command *row);
/* argv[at] is a key of this command: what is done with it, as COMMAND GETKEYSANDFLAGS answers it. */
reply facts_of_key(const call *c, const command *row, const str *argv, size_t argc, size_t at);

#endif
