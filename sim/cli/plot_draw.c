/* plot_draw.c - see plot_draw.h. gnuplot is a program of its own: it is started without a shell, told by -d to read
 * no settings of a user's, and what it says is shown only where it fails. */
#include "cli/plot_draw.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/files.h"
#include "report/clean.h"

static const plot_kind kinds[] = {
    { "cdf", "how long they waited: the share of waits that were over by then", false },
    { "ccdf", "the long waits: the share of waits that lasted longer, on log scales", false },
    { "boxes", "each client's waits as a box; of many clients, the distribution over them", false },
    { "wait_time", "waits over virtual time, faults shaded", false },
    { "grants", "how often each client got the lock", false },
    { "overtakes", "how many of those who asked later went first", false },
    { "jain", "Jain's fairness index over virtual time, faults shaded", false },
    { "gantt", "who held the lock and who waited", false },
    { "queue", "how many waited over virtual time, faults shaded", false },
    { "handoff", "how long the lock lay idle between two holders while a client waited", false },
    { "compare", "side by side: waits, overtakes, hand-offs, and what they cost", true },
};

size_t plot_kinds(void)
{
    return COUNT(kinds);
}

const plot_kind *plot_kind_at(size_t i)
{
    return &kinds[i];
}

enum { EXIT_NOT_FOUND = 127, EXIT_NOT_STARTED = 126, CPU_SECONDS_MAX = 60 };

/* In the child, between fork and exec. */
static void become_gnuplot(const char *stage, char *const *arguments)
{
    struct rlimit cpu = { .rlim_cur = CPU_SECONDS_MAX, .rlim_max = CPU_SECONDS_MAX };
    int nothing = open("/dev/null", O_RDWR), said;
    if (nothing < 0 || chdir(stage) != 0 || (said = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666)) < 0 ||
        dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(said, 2) < 0)
        _exit(EXIT_NOT_STARTED);
    setrlimit(RLIMIT_CPU, &cpu);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    execvp(arguments[0], arguments);
    _exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_STARTED);
}

static bool missing(err *e)
{
    err_set(e, ERR_USAGE, "pictures are drawn by gnuplot, which is not installed; the data stay as they are");
    return err_hint(e, "as root: apt-get install -y --no-install-recommends gnuplot-nox fonts-dejavu-core");
}

static bool failed(arena *a, const plot_kind *kind, str stage, int status, err *e)
{
    err ignored = { 0 };
    str said = S("");
    files_read(a, files_join(a, stage, S("said")), &said, &ignored);
    err_clear(&ignored);
    err_set(e, ERR_BUG, "gnuplot failed on %s.gp (%s %d): %.*s", kind->name, WIFEXITED(status) ? "status" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), (int)(said.n < 600 ? said.n : 600), said.p);
    return err_hint(e, "gnuplot 5.4 is what the templates are written for: gnuplot --version");
}

static bool run_gnuplot(arena *a, str templates, const plot_kind *kind, str stage, size_t runs, const char *out, err *e)
{
    buf data = { 0 };
    for (size_t i = 1; i <= runs; i++)
        buf_printf(&data, "%s%zu", i > 1 ? " " : "", i);
    str given = arena_printf(a, "data='%s'; out='%s'", data.p, out),
                script = arena_printf(a, "%.*s/%s.gp", STR_ARG(templates), kind->name);
    buf_free(&data);
    char *arguments[] = { (char[]){ "gnuplot" }, (char[]){ "-d" }, (char[]){ "-e" }, (char *)(uintptr_t)given.p,
                          (char *)(uintptr_t)script.p, NULL };
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(stage.p, arguments);
    if (child < 0)
        return err_set(e, ERR_USAGE, "cannot start gnuplot: %s", strerror(errno));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(e, ERR_BUG, "cannot wait for gnuplot: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_FOUND)
        return missing(e);
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || failed(a, kind, stage, status, e);
}

/* The index of `what` in `text` from `from` on; text.n: none. */
static size_t find(str text, str what, size_t from)
{
    while (from < text.n && !str_starts(str_slice(text, from, text.n), what))
        from++;
    return from;
}

/* Is this line an opening <g ...> that the next one closes? gnuplot writes hundreds of them. */
static bool is_empty_group(str line, str next)
{
    return str_starts(line, S("<g ")) && str_ends(line, S(">")) && find(line, S("</g>"), 0) == line.n &&
           str_eq(next, S("</g>"));
}

/* A picture on its way out, a line at a time. gnuplot opens a group for each stroke: neighbours that say the same are
 * one, so that a picture of hundreds of points is a third as large. */
typedef struct {
    buf *out, group;                       /* group: the line that opened the last one */
    int depth, group_depth;                /* groups that are open; before that line */
    bool ended;                            /* its end was read, and is not written yet */
} svg_writer;

static int times(str line, str what)
{
    int n = 0;
    for (size_t at = find(line, what, 0); at < line.n; at = find(line, what, at + 1))
        n++;
    return n;
}

/* rgb(  0, 114, 178) at `at`: its end, and the same as #0072b2; else `at`. */
static size_t short_color(str line, size_t at, char out[8])
{
    unsigned of[3] = { 0 };
    size_t i = at + strlen("rgb("), k = 0;
    if (!str_starts(str_slice(line, at, line.n), S("rgb(")))
        return at;
    for (; i < line.n && line.p[i] != ')' && k < COUNT(of); i++) {
        if (line.p[i] >= '0' && line.p[i] <= '9')
            of[k] = (of[k] * 10 + (unsigned)(line.p[i] - '0')) & 255;
        k += line.p[i] == ',';
    }
    if (i >= line.n || k != 2)
        return at;
    snprintf(out, 8, "#%02x%02x%02x", of[0], of[1], of[2]);
    return i + 1;
}

/* Without what SVG takes for granted. */
static void write_short(buf *out, str line)
{
    const str granted = S(" stroke-linecap=\"butt\" stroke-linejoin=\"miter\"");
    for (size_t at = 0; at < line.n; ) {
        char color[8];
        size_t end = short_color(line, at, color);
        if (end > at) {
            buf_addz(out, color);
            at = end;
        } else if (str_starts(str_slice(line, at, line.n), granted)) {
            at += granted.n;
        } else {
            buf_byte(out, line.p[at++]);
        }
    }
}

static void write_line(svg_writer *w, str line)
{
    const str end = S("</g>");
    bool opens = str_starts(line, S("<g ")) && str_ends(line, S(">")) && !times(line, end);
    if (w->ended && opens && str_eq(line, buf_str(&w->group))) {
        w->ended = false;
        w->depth++;
        return;
    }
    if (w->ended)
        buf_addz(w->out, "</g>\n");
    w->ended = false;
    if (opens) {
        buf_clear(&w->group);
        buf_add(&w->group, line);
        w->group_depth = w->depth;
    }
    w->depth += times(line, S("<g ")) + times(line, S("<g>")) - times(line, end);
    if (w->group.n > 0 && str_ends(line, end) && w->depth == w->group_depth) {
        w->ended = true;
        line = str_slice(line, 0, line.n - end.n);
        if (line.n == 0)
            return;
    }
    write_short(w->out, line);
    buf_byte(w->out, '\n');
}

/* Adds a common font as a fallback; text with the size of a title (title_font in style.gp) is bold. */
static void add_named_font(buf *out, str line)
{
    const str family = S("font-family=\"DejaVu Sans\""), title_size = S(" font-size=\"14.00\"");
    size_t at = find(line, family, 0);
    buf_add(out, str_slice(line, 0, at));
    if (at == line.n)
        return;
    buf_addz(out, "font-family=\"DejaVu Sans, Verdana, sans-serif\"");
    str rest = str_slice(line, at + family.n, line.n);
    if (str_starts(rest, title_size))
        buf_addz(out, " font-weight=\"bold\"");
    buf_add(out, rest);
}

/* Replaces gnuplot's title by one for screen readers, and removes its version and its names of parts, which would
 * appear as tooltips. */
static void clean_svg(str svg, str title, buf *out)
{
    const str version = S("<desc>Produced by GNUPLOT"), named = S("<title>Gnuplot</title>"),
                        part = S("\t<g id=\"gnuplot_plot_"), root = S(" xmlns=\"http://www.w3.org/2000/svg\"");
    svg_writer w = { .out = out };
    buf clean = { 0 };
    for (size_t from = 0; from < svg.n; ) {
        size_t end = str_find(svg, '\n', from), after = str_find(svg, '\n', end + 1);
        str line = str_slice(svg, from, end);
        from = end + 1;
        if (line.n == 0 || str_starts(line, version))
            continue;
        if (is_empty_group(line, str_slice(svg, end + 1, after))) {
            from = after + 1;
            continue;
        }
        buf_clear(&clean);
        if (str_eq(line, named)) {
            buf_addz(&clean, "<title>");
            clean_xml(&clean, title);
            buf_addz(&clean, "</title>");
        } else if (str_eq(line, root)) {
            buf_add(&clean, root);
            buf_addz(&clean, " fill=\"none\"");      /* a frame is in no group where there are no data */
        } else if (str_starts(line, part)) {
            buf_addz(&clean, "\t<g>");
        } else {
            add_named_font(&clean, line);
        }
        write_line(&w, buf_str(&clean));
    }
    if (w.ended)
        buf_addz(out, "</g>\n");
    buf_free(&w.group);
    buf_free(&clean);
}

bool plot_draw(arena *a, str templates, const plot_kind *kind, str stage, size_t runs, bool png, str title,
               buf *picture, err *e)
{
    const char *out = png ? "picture.png" : "picture.svg";
    str drawn, path = files_join(a, stage, str_from(out));
    unlink(path.p);
    if (!run_gnuplot(a, templates, kind, stage, runs, out, e))
        return false;
    err unread = { 0 };
    bool ok = files_read(a, path, &drawn, &unread) && drawn.n > 0;
    err_clear(&unread);
    if (!ok)
        return failed(a, kind, stage, 0, e);
    if (png)
        buf_add(picture, drawn);
    else
        clean_svg(drawn, title, picture);
    return true;
}

bool plot_templates(arena *a, str *folder, err *e)
{
    str shipped = files_shipped(a, "reports");
    char *real = shipped.n ? realpath(shipped.p, NULL) : NULL;
    *folder = arena_str(a, str_from(real));
    free(real);
    return folder->n > 0 || err_set(e, ERR_USAGE, "the templates (reports/*.gp) are not beside this program");
}
