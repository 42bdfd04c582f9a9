/* cli.c - chooses the subcommand, and keeps the manners that all of them share: exit statuses, stdout, complaints. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/wrap.h"
#include "host/about.h"
#include "host/config.h"
#include "host/files.h"
#include "host/print.h"
#include "host/progress.h"
#include "host/ranks.h"

static void add_commands(buf *b)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        command_kind c = (command_kind)i;
        enum { INDENT = 12 };
        buf_printf(b, "  %-8s  ", command_name(c));
        wrap_words(b, str_from(command_describe(c)->summary), INDENT, INDENT, WRAP_WIDTH);
        buf_byte(b, '\n');
    }
}

/* The first commands for a new user. */
static void first_steps(buf *b)
{
    buf_addz(b, "locksim runs Redis lock scripts and the client code around them through many\n"
                "interleavings and faults, and says whether mutual exclusion, reentrancy and\n"
                "fairness hold.\n\n"
                "Start here:\n"
                "  locksim list scenarios              the shipped scenarios, one line each\n"
                "  locksim run FILE                    run one and read its verdict\n"
                "  locksim simulate FILE               measure waiting times and fairness\n"
                "  locksim init ACQUIRE RELEASE        a scenario for lock scripts of your own\n"
                "  locksim watch [DIR]                 run them again whenever a script is saved\n"
                "  locksim shell                       a Redis in memory; you move its clock\n"
                "  locksim serve --clock manual        the same for clients in any language\n"
                "  locksim drive 'A=python3 worker.py' real programs under virtual time\n"
                "  locksim list properties             what is judged\n\n"
                "Subcommands (each has --help with an example):\n");
    add_commands(b);
}

static void usage(buf *b)
{
    buf_addz(b, "Usage: locksim COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n");
    add_commands(b);
    buf_addz(b, "\n`locksim COMMAND --help` describes one; `locksim --version` tells the version,\n"
                "the dialects and the build.\n\n"
                "Example:\n  locksim run scenarios/seeds\n\n"
                "Environment:\n"
                "  LOCKSIM_SCRIPTS    the folder of the shipped scripts, instead of the one\n"
                "                     found beside the program\n"
                "  LOCKSIM_NO_CONFIG  if set and not empty, .locksim/config is passed over\n"
                "  NO_COLOR           if set and not empty, --color auto means never\n"
                "\nDefaults of a repository stand in its .locksim/config, a line a command:\n"
                "  run   --scripts redis --time-limit 60\n"
                "  lint  --ignore LS021 --min-severity error\n");
}

/* A folder that is not there would be passed over in silence, and the shipped scripts judged instead. */
static bool check_folders(const options *o, err *e)
{
    for (size_t i = 0; i < o->script_count; i++)
        if (!files_is_folder(o->scripts[i]))
            return err_set(e, ERR_USAGE, "--scripts %s: there is no such folder", o->scripts[i]);
    return true;
}

static int dispatch(int argc, char **argv, err *e)
{
#define MAIN(NAME, name) name##_main,
    static int (*const run[COMMAND_COUNT])(const options *) = { COMMANDS(MAIN) };
#undef MAIN
    buf b = { 0 };
    arena *a = arena_new();
    int status = STATUS_PASS;
    command_kind c;
    options o;
    words typed = { argc - 2, argv + 2 }, all;
    str first = argc > 1 ? str_from(argv[1]) : S("");
    if (argc <= 1) {
        first_steps(&b);
    } else if (str_eq(first, S("--version")) || str_eq(first, S("-V"))) {
        about_tell(&b);
    } else if (str_eq(first, S("--help")) || str_eq(first, S("-h")) || (str_eq(first, S("help")) && argc == 2)) {
        usage(&b);
    } else if (str_eq(first, S("help"))) {
        if (command_parse(str_from(argv[2]), &c, e))
            options_help(c, &b);
    } else if (str_eq(first, S("complete"))) {
        status = cli_complete((size_t)argc - 2, argv + 2);
    } else if (first.p[0] == '-') {
        str known[] = { S("--version"), S("--help") };
        str near = err_nearest(first, known, COUNT(known));
        err_set(e, ERR_USAGE, "locksim has no option '%.*s' before the subcommand", STR_ARG(first));
        if (near.n)
            err_hint(e, "did you mean %.*s?", STR_ARG(near));
        err_hint(e, "`locksim --help` shows the usage");
    } else if (command_parse(first, &c, e) && config_words(a, c, typed, &all, e) &&
               options_parse(a, c, all.argc, all.argv, &o, e)) {
        if (o.help)
            options_help(c, &b);
        else if (check_folders(&o, e)) {
            o.program = argv[0];
            status = o.mpi && !ranks_open(argc, argv, e) ? STATUS_USAGE : run[c](&o);
        }
    }
    if (e->class_ != ERR_NONE)
        status = print_complaint(e);
    if (!print_out(&b))
        status = status_worse(status, STATUS_IO);
    buf_free(&b);
    arena_free(a);
    ranks_close(progress_interrupted(), status);
    return status;
}

/* If stdin, stdout or stderr is closed, the next opened file would get its number, and output would be written into it.
 * /dev/null takes the number, for reading only, so that lost results are still noticed. */
static void keep_standard_places(void)
{
    for (int place = STDIN_FILENO; place <= STDERR_FILENO; place++)
        if (fcntl(place, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) < 0)
            return;                                /* without /dev/null nothing is lost but this care */
}

/* Is stdout a pipe without a reader? */
static bool reader_left(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO };
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

int cli_main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);                      /* until the end: a file that is being written is finished first */
    keep_standard_places();
    err e = { 0 };
    int status = dispatch(argc, argv, &e);
    err_clear(&e);
    if (status == STATUS_IO && reader_left()) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return status;
}
