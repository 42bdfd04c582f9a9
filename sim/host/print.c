/* print.c - exit statuses, stdout, complaints. */
#include "host/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/ranks.h"
#include "report/clean.h"
#include "report/fold.h"

int status_worse(int a, int b)
{
    static const int order[] = { STATUS_BUG, STATUS_IO, STATUS_SCENARIO, STATUS_USAGE, STATUS_DRIVER,
                                 STATUS_VIOLATED, STATUS_INCONCLUSIVE, STATUS_VACUOUS, STATUS_PASS };
    for (size_t i = 0; i < COUNT(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return STATUS_BUG;
}

int print_complaint(const err *e)
{
    buf b = { 0 }, shown = { 0 };
    if (ranks_own() > 0)                           /* rank 0 says it */
        return e->class_ == ERR_NONE ? STATUS_BUG : (int)e->class_;
    err_print(e, &b);
    clean_lines(&shown, buf_str(&b));              /* a path, or a word of the command line, may hold anything */
    fold_lines(&shown, 0, print_width(STDERR_FILENO));
    fwrite(shown.p, 1, shown.n, stderr);
    buf_free(&b);
    buf_free(&shown);
    return e->class_ == ERR_NONE ? STATUS_BUG : (int)e->class_;
}

bool print_out(const buf *b)
{
    if (b->n == 0 || ranks_own() > 0)
        return true;
    bool told = ferror(stdout) != 0;
    if (fwrite(b->p, 1, b->n, stdout) == b->n && fflush(stdout) == 0 && !told)
        return true;
    if (errno != EPIPE && !told)                   /* the user closed the pipe: `locksim run ... | head` */
        fprintf(stderr, "error[io]: cannot write to standard output: %s\n", strerror(errno));
    return false;
}

bool print_wants_color(int choice)
{
    const char *no_color = getenv("NO_COLOR");
    if (choice == COLOR_AUTO)
        return isatty(STDOUT_FILENO) && !ranks_joined() && !(no_color && *no_color);
    return choice == COLOR_ALWAYS;
}

size_t print_width(int fd)
{
    enum { NARROWEST = 40 };
    struct winsize w;
    if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
        return 0;
    return w.ws_col < NARROWEST ? NARROWEST : w.ws_col;
}

void print_options(const options *o)
{
    buf told = { 0 }, line = { 0 };
    options_tell(o, &told);
    if (told.n) {
        buf_printf(&line, "options%.*s\n", (int)told.n, told.p);
        print_out(&line);
    }
    buf_free(&told);
    buf_free(&line);
}

void print_unproved(dialect d)
{
    arena *a = arena_new();
    d = dialect_or_default(d);
    if (!dialect_is_proved(d))
        fprintf(stderr, "note: %.*s as its release notes have it: compared with no real server\n",
                STR_ARG(dialect_name(a, d)));
    arena_free(a);
}
