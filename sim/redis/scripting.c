/* scripting.c - the rows of the commands that run and store scripts. The engine (engine.h) executes them. */
#include "redis/engine.h"
#include "redis/server.h"

static reply cmd_eval(const call *c) { return c->server->engine->eval(c); }
static reply cmd_evalsha(const call *c) { return c->server->engine->evalsha(c); }
static reply cmd_eval_ro(const call *c) { return c->server->engine->eval_ro(c); }
static reply cmd_evalsha_ro(const call *c) { return c->server->engine->evalsha_ro(c); }
static reply cmd_script_load(const call *c) { return c->server->engine->script_load(c); }
static reply cmd_script_exists(const call *c) { return c->server->engine->script_exists(c); }
static reply cmd_script_show(const call *c) { return c->server->engine->script_show(c); }
static reply cmd_script_flush(const call *c) { return c->server->engine->script_flush(c); }
static reply cmd_script_kill(const call *c) { return c->server->engine->script_kill(c); }
static reply cmd_function_dump(const call *c) { return c->server->engine->function_dump(c); }
static reply cmd_function_restore(const call *c) { return c->server->engine->function_restore(c); }
static reply cmd_function_kill(const call *c) { return c->server->engine->function_kill(c); }
static reply cmd_fcall(const call *c) { return c->server->engine->fcall(c); }
static reply cmd_fcall_ro(const call *c) { return c->server->engine->fcall_ro(c); }
static reply cmd_function_load(const call *c) { return c->server->engine->function_load(c); }
static reply cmd_function_delete(const call *c) { return c->server->engine->function_delete(c); }
static reply cmd_function_flush(const call *c) { return c->server->engine->function_flush(c); }
static reply cmd_function_list(const call *c) { return c->server->engine->function_list(c); }
static reply cmd_function_stats(const call *c) { return c->server->engine->function_stats(c); }

const command commands_script[] = {
    { .name = "eval", -3, CMD_NOSCRIPT | CMD_NUMKEYS | CMD_RUNS_OTHERS, 2, 0, 0, cmd_eval },
    { .name = "evalsha", -3, CMD_NOSCRIPT | CMD_NUMKEYS | CMD_RUNS_OTHERS, 2, 0, 0, cmd_evalsha },
    { .name = "eval_ro", -3, CMD_NOSCRIPT | CMD_READONLY | CMD_NUMKEYS, 2, 0, 0, cmd_eval_ro },
    { .name = "evalsha_ro", -3, CMD_NOSCRIPT | CMD_READONLY | CMD_NUMKEYS, 2, 0, 0, cmd_evalsha_ro },
    { .name = "script", -2, CMD_NOSCRIPT | CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "script|load", 3, CMD_NOSCRIPT, 0, 0, 0, cmd_script_load },
    { .name = "script|exists", -3, CMD_NOSCRIPT, 0, 0, 0, cmd_script_exists },
    { .name = "script|show", 3, CMD_NOSCRIPT, 0, 0, 0, cmd_script_show, .since = VALKEY_ONLY(8, 0) },
    { .name = "script|flush", -2, CMD_NOSCRIPT, 0, 0, 0, cmd_script_flush },
    { .name = "script|kill", 2, CMD_ALLOW_BUSY | CMD_NOSCRIPT, 0, 0, 0, cmd_script_kill },
    { .name = "fcall", -3, CMD_NOSCRIPT | CMD_NUMKEYS | CMD_RUNS_OTHERS, 2, 0, 0, cmd_fcall },
    { .name = "fcall_ro", -3, CMD_NOSCRIPT | CMD_READONLY | CMD_NUMKEYS, 2, 0, 0, cmd_fcall_ro },
    { .name = "function", -2, CMD_CONTAINER, 0, 0, 0, NULL },
    { .name = "function|load", -3, CMD_WRITE | CMD_NOSCRIPT | CMD_DENYOOM, 0, 0, 0, cmd_function_load },
    { .name = "function|delete", 3, CMD_WRITE | CMD_NOSCRIPT, 0, 0, 0, cmd_function_delete },
    { .name = "function|flush", -2, CMD_WRITE | CMD_NOSCRIPT, 0, 0, 0, cmd_function_flush },
    { .name = "function|list", -2, CMD_NOSCRIPT, 0, 0, 0, cmd_function_list },
    { .name = "function|stats", 2, CMD_ALLOW_BUSY | CMD_NOSCRIPT, 0, 0, 0, cmd_function_stats },
    { .name = "function|dump", 2, CMD_NOSCRIPT, 0, 0, 0, cmd_function_dump },
    { .name = "function|restore", -3, CMD_WRITE | CMD_NOSCRIPT | CMD_DENYOOM, 0, 0, 0, cmd_function_restore },
    { .name = "function|kill", 2, CMD_ALLOW_BUSY | CMD_NOSCRIPT, 0, 0, 0, cmd_function_kill },
    { .name = NULL },
};
