/* script.c - EVAL, EVALSHA, their read-only forms and SCRIPT: arguments checked, the script found, run by the host. */
#include "redis/command.h"
#include "redis/script.h"

static reply cmd_eval(const call *c)
{
    (void)c;
    return reply_error(S("ERR scripts are not built yet"));
}

const command commands_script[] = {
    { "eval", -3, CMD_NOSCRIPT, 0, 0, 0, cmd_eval },
    { "evalsha", -3, CMD_NOSCRIPT, 0, 0, 0, cmd_eval },
    { "eval_ro", -3, CMD_NOSCRIPT | CMD_READONLY, 0, 0, 0, cmd_eval },
    { "evalsha_ro", -3, CMD_NOSCRIPT | CMD_READONLY, 0, 0, 0, cmd_eval },
    { "script", -2, CMD_NOSCRIPT, 0, 0, 0, cmd_eval },
    { .name = NULL },
};
