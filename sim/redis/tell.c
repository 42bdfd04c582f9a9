/* tell.c - the command table in words, for tools that read scripts without running them. */
#include "redis/command.h"

static void tell(void *context, const command *row)
{
    buf *out = context;
    buf_printf(out, "%s %d %s%s%s%s %d %d %d\n", row->name, row->arity, row->flags & CMD_WRITE ? "write" : "read",
               row->flags & CMD_NOSCRIPT ? ",noscript" : "", row->flags & CMD_CONTAINER ? ",container" : "",
               command_is_refused(row) ? ",refused" : "", row->flags & (CMD_NUMKEYS | CMD_CHANNELS) ? 0
               : row->first_key, row->flags & CMD_CHANNELS ? 0 : row->last_key, row->step);
}

void redis_tell_commands(buf *out)
{
    const dialect d = dialect_or_default((dialect){ 0 });
    command_each(d, tell, out);
    for (const command *row = commands_refused; row->name; row++)
        if (command_lives(row, d))
            tell(out, row);
}
