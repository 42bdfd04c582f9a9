/* program.c - see program.h. */
#define _GNU_SOURCE
#include "drive/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/words.h"
#include "drive/fork_server.h"

enum { HEAD_BYTES = 64 << 10, FIRST_PID = 10000, PIDS_EACH = 5000, LAST_WORDS_BYTES = 4096 };

struct program {
    const program_host *host;
    const drive_client *client;
    uint32_t number;
    arena *memory;
    str base;              /* of its files' names */
    shared *page;
    fork_servers servers;
    program_beginning beginning;
    int door, output, errors;
    int output_to;         /* the end that its processes write to */
    pid_t first;           /* its own process group; 0: it was never started */
    int status;            /* -1: the first process still is */
    char **argv, **environment;
    pid_t alive[SHARED_PROCESSES + 1];
};

/* ---- what the command line says ---- */

static bool is_name(str s)
{
    bool letter = s.n > 0 && ((s.p[0] | 32) >= 'a' && (s.p[0] | 32) <= 'z');
    for (size_t i = 0; i < s.n; i++)
        letter = letter && (s.p[i] == '_' || ((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z') ||
                            (s.p[i] >= '0' && s.p[i] <= '9'));
    return letter && s.n <= 32;
}

bool drive_client_parse(arena *a, str text, drive_client *out, err *e)
{
    size_t equals = str_find(text, '=', 0);
    *out = (drive_client){ .name = str_slice(text, 0, equals), .command = str_slice(text, equals + 1, text.n) };
    if (equals == text.n || !is_name(out->name)) {
        err_set(e, ERR_USAGE, "'%.*s' names no client", STR_ARG(str_slice(text, 0, 60)));
        return err_hint(e, "a client is NAME=COMMAND in one word: 'A=python3 worker.py'; a name has letters, digits "
                        "and _");
    }
    bool *quoted;
    if (!words_split(a, out->command, &out->words, &quoted, &out->word_count))
        return err_set(e, ERR_USAGE, "client %.*s: a quote in its command is not closed", STR_ARG(out->name));
    if (out->word_count == 0)
        return err_set(e, ERR_USAGE, "client %.*s has no command", STR_ARG(out->name));
    return true;
}

/* ---- what can be driven ---- */

static str find_program(arena *a, str name, str path)
{
    if (str_find(name, '/', 0) < name.n)
        return arena_str(a, name);
    for (size_t from = 0; from <= path.n;) {
        size_t end = str_find(path, ':', from);
        str folder = str_slice(path, from, end), file = arena_printf(a, "%.*s/%.*s", STR_ARG(folder), STR_ARG(name));
        if (folder.n && access(file.p, X_OK) == 0)
            return file;
        from = end + 1;
    }
    return S("");
}

static bool contains(str bytes, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i + n <= bytes.n; i++)
        if (bytes.p[i] == text[0] && memcmp(bytes.p + i, text, n) == 0)
            return true;
    return false;
}

/* Go's programs call the kernel themselves, however they are linked. */
static bool is_go(str head)
{
    return contains(head, "\xff Go buildinf:") || contains(head, "Go build ID:");
}

/* The program's dynamic loader; empty: none, it is static. */
static str interpreter_of(str head)
{
    Elf64_Ehdr h;
    if (head.n < sizeof h)
        return S("");
    memcpy(&h, head.p, sizeof h);
    for (size_t i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        uint64_t at = h.e_phoff + i * h.e_phentsize;
        if (at + sizeof p > head.n)
            break;
        memcpy(&p, head.p + at, sizeof p);
        if (p.p_type == PT_INTERP && p.p_offset < head.n)
            return str_slice(head, p.p_offset, p.p_offset + p.p_filesz);
    }
    return S("");
}

static bool refuse(const drive_client *c, str file, const char *what, err *e)
{
    err_set(e, ERR_USAGE, "client %.*s: %.*s is %s", STR_ARG(c->name), STR_ARG(file), what);
    return err_hint(e, "drive needs a program that is linked dynamically with glibc; for others `locksim serve --clock "
                    "manual` gives a Redis");
}

static bool check_head(const drive_client *c, str file, str head, err *e)
{
    if (head.n < 5 || memcmp(head.p, ELFMAG, SELFMAG) != 0)
        return true;               /* a script without "#!", which the shell would run, or not */
    if (head.p[EI_CLASS] != ELFCLASS64)
        return refuse(c, file, "a program of 32 bits, which the preloaded library cannot enter", e);
    if (is_go(head))
        return refuse(c, file, "a Go program, which asks the kernel itself: no preloaded library sees that", e);
    str loader = interpreter_of(head);
    if (loader.n == 0)
        return refuse(c, file, "linked statically, and no preloaded library can enter it", e);
    if (contains(loader, "musl"))
        return refuse(c, file, "linked with musl, and the preloaded library with glibc", e);
    return true;
}

static str read_head(arena *a, str file)
{
    int fd = open(file.p, O_RDONLY | O_CLOEXEC);
    char *room = arena_alloc(a, HEAD_BYTES);
    ssize_t n = fd < 0 ? -1 : read(fd, room, HEAD_BYTES);
    if (fd >= 0)
        close(fd);
    return (str){ .p = room, .n = n > 0 ? (size_t)n : 0 };
}

bool program_check(arena *a, const drive_client *c, str path, err *e)
{
    str file = find_program(a, c->words[0], path);
    struct stat st;
    if (file.n == 0 || stat(file.p, &st) != 0)
        return err_set(e, ERR_USAGE, "client %.*s: there is no program '%.*s'", STR_ARG(c->name), STR_ARG(c->words[0]));
    if (!S_ISREG(st.st_mode) || access(file.p, X_OK) != 0)
        return err_set(e, ERR_USAGE, "client %.*s: '%.*s' cannot be executed", STR_ARG(c->name), STR_ARG(file));
    str head = read_head(a, file);
    if (head.n > 2 && head.p[0] == '#' && head.p[1] == '!') {
        str line = str_slice(head, 2, str_find(head, '\n', 0)), *words;
        bool *quoted;
        size_t count;
        if (words_split(a, line, &words, &quoted, &count) && count > 0) {
            file = find_program(a, words[0], path);
            head = file.n ? read_head(a, file) : head;
        }
    }
    return check_head(c, file, head, e);
}

/* ---- its page and its door ---- */

static bool make_page(program *p, err *e)
{
    str file = arena_printf(p->memory, "%.*s.shm", STR_ARG(p->base));
    int fd = open(file.p, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(shared)) != 0)
        return err_set(e, ERR_USAGE, "%.*s: %s", STR_ARG(file), strerror(errno));
    void *page = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (page == MAP_FAILED)
        return err_set(e, ERR_USAGE, "%.*s: %s", STR_ARG(file), strerror(errno));
    p->page = page;
    return true;
}

static bool make_door(program *p, err *e)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    str file = arena_printf(p->memory, "%.*s.sock", STR_ARG(p->base));
    if (file.n >= 100)
        return err_set(e, ERR_USAGE, "%.*s is too long for a socket: set TMPDIR to a shorter folder", STR_ARG(file));
    memcpy(at.sun_path, file.p, file.n + 1);
    unlink(file.p);
    p->door = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (p->door < 0 || bind(p->door, (const struct sockaddr *)&at, sizeof at) != 0 || listen(p->door, 128) != 0)
        return err_set(e, ERR_USAGE, "%.*s: %s", STR_ARG(file), strerror(errno));
    return true;
}

/* Its output, and its last words: the same for all runs, since fork servers keep theirs open. */
static bool make_outputs(program *p, err *e)
{
    int ends[2];
    str words = arena_printf(p->memory, "%.*s.err", STR_ARG(p->base));
    p->errors = open(words.p, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (p->errors < 0 || pipe2(ends, O_CLOEXEC) != 0)
        return err_set(e, ERR_USAGE, "client %.*s cannot be started: %s", STR_ARG(p->client->name), strerror(errno));
    p->output = ends[0];
    p->output_to = ends[1];
    return fcntl(p->output, F_SETFL, O_NONBLOCK) == 0;
}

program *program_new(const program_host *h, const drive_client *c, uint32_t number, err *e)
{
    program *p = mem_zero(sizeof *p);
    *p = (program){ .host = h, .client = c, .number = number, .memory = arena_new(), .door = -1, .output = -1,
                    .output_to = -1, .errors = -1, .status = -1, .servers.door = -1 };
    p->base = arena_printf(p->memory, "%.*s/%u", STR_ARG(h->folder), number);
    if (make_page(p, e) && make_door(p, e) && make_outputs(p, e) &&
        fork_servers_open(&p->servers, arena_printf(p->memory, "%.*s.fork", STR_ARG(p->base)), e))
        return p;
    program_free(p);
    return NULL;
}

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void program_free(program *p)
{
    if (!p)
        return;
    program_kill(p);
    fork_servers_close(&p->servers);
    shut(&p->door);
    shut(&p->output);
    shut(&p->output_to);
    shut(&p->errors);
    if (p->page)
        munmap(p->page, sizeof(shared));
    static const char *const endings[] = { "shm", "sock", "fork", "err" };
    for (size_t i = 0; i < COUNT(endings); i++)
        unlink(arena_printf(p->memory, "%.*s.%s", STR_ARG(p->base), endings[i]).p);
    arena_free(p->memory);
    mem_free(p);
}

/* ---- starting ---- */

static bool is_called(str word, const char *name)
{
    size_t slash = word.n;
    while (slash > 0 && word.p[slash - 1] != '/')
        slash--;
    return str_eq(str_slice(word, slash, word.n), str_from(name));
}

static bool is_node(const drive_client *c)
{
    return is_called(c->words[0], "node") || is_called(c->words[0], "nodejs");
}

/* V8 collects when nothing happens, by a timer; the JVM keeps a file by its process's number, which here is not its
 * own. */
static const char *needed_flag(const drive_client *c)
{
    if (is_node(c))
        return "--no-memory-reducer";
    return is_called(c->words[0], "java") ? "-XX:-UsePerfData" : NULL;
}

static char **arguments_of(program *p)
{
    const drive_client *c = p->client;
    const char *flag = needed_flag(c);
    char **argv = ARENA_ARRAY(p->memory, char *, c->word_count + 2);
    size_t n = 0;
    for (size_t i = 0; i < c->word_count; i++) {
        argv[n++] = (char *)(uintptr_t)arena_str(p->memory, c->words[i]).p;
        if (i == 0 && flag)
            argv[n++] = (char *)(uintptr_t)flag;
    }
    return argv;
}

static char **environment_of(program *p)
{
    static const char *const said[] = { "LD_PRELOAD=", SHARED_VARIABLE "=", "PYTHONUNBUFFERED=", "MALLOC_ARENA_MAX=" };
    size_t count = 0, n = 0;
    while (p->host->environment[count])
        count++;
    char **out = ARENA_ARRAY(p->memory, char *, count + COUNT(said) + 1);
    const char *before = "";
    for (size_t i = 0; i < count; i++) {
        bool ours = false;
        for (size_t k = 0; k < COUNT(said); k++)
            ours = ours || str_starts(str_from(p->host->environment[i]), str_from(said[k]));
        if (!ours)
            out[n++] = p->host->environment[i];
        else if (str_starts(str_from(p->host->environment[i]), str_from(said[0])))
            before = p->host->environment[i] + strlen(said[0]);
    }
    const str values[] = { arena_printf(p->memory, "%s%s%s", p->host->library, *before ? ":" : "", before), p->base,
                           S("1"), S("1") };
    for (size_t k = 0; k < COUNT(said); k++)
        out[n++] = (char *)(uintptr_t)arena_printf(p->memory, "%s%.*s", said[k], STR_ARG(values[k])).p;
    return out;
}

static void become(char **argv, char **environment, int output, int errors)
{
    int input = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    personality(ADDR_NO_RANDOMIZE);
    struct sigaction usual = { .sa_handler = SIG_DFL };
    sigaction(SIGPIPE, &usual, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0)
        _exit(127);
    close_range(3, UINT_MAX, 0);       /* what our caller has left open is nothing to the program */
    execvpe(argv[0], argv, environment);
    static const char said[] = "cannot be executed\n";
    ssize_t ignored = write(2, said, sizeof said - 1);
    (void)ignored;
    _exit(127);
}

static void begin_page(program *p, const program_beginning *b)
{
    shared *s = p->page;
    int64_t real_ns = atomic_load(&s->real_ns), mono_ns = atomic_load(&s->mono_ns);
    memset((void *)s, 0, sizeof *s);
    s->version = SHARED_VERSION;
    s->seed = b->seed;
    s->early_seed = b->early_seed;
    s->copies = b->copies;
    s->clock_points = b->clock_points;
    s->baton = !is_node(p->client);
    s->first_pid = FIRST_PID + (int32_t)p->number * PIDS_EACH;
    for (size_t i = 0; i < p->host->port_count && i < SHARED_PORTS; i++)
        s->ports[i] = p->host->ports[i];
    atomic_store(&s->real_ns, real_ns);
    atomic_store(&s->mono_ns, mono_ns);
}

/* Drops unread output of an earlier run, and its last words. */
static bool clear_outputs(program *p)
{
    char room[4096];
    while (read(p->output, room, sizeof room) > 0) {
    }
    return ftruncate(p->errors, 0) == 0;
}

static pid_t start_process(program *p)
{
    p->argv = p->argv ? p->argv : arguments_of(p);
    p->environment = p->environment ? p->environment : environment_of(p);
    pid_t pid = fork();
    if (pid == 0)
        become(p->argv, p->environment, p->output_to, p->errors);
    if (pid > 0)
        setpgid(pid, pid);
    return pid;
}

bool program_start(program *p, const program_beginning *b, err *e)
{
    program_kill(p);
    p->beginning = *b;
    p->status = -1;
    if (clear_outputs(p)) {
        begin_page(p, b);
        p->first = b->copies ? fork_servers_copy(&p->servers, b->variant) : 0;
        p->first = p->first ? p->first : start_process(p);
        if (p->first > 0)
            return true;
    }
    return err_set(e, ERR_USAGE, "client %.*s cannot be started: %s", STR_ARG(p->client->name), strerror(errno));
}

bool program_meet_server(program *p, bool keep)
{
    pid_t copy;
    if (!fork_servers_meet(&p->servers, p->beginning.variant, keep && p->beginning.copies, &copy))
        return false;
    p->first = copy ? copy : p->first;
    return true;
}

/* ---- following and ending ---- */

static bool exists(pid_t pid)
{
    return kill(pid, 0) == 0 || errno == EPERM;
}

static void take_status(program *p, int flags)
{
    int status;
    if (p->status >= 0 || p->first <= 0 || waitpid(p->first, &status, flags) != p->first)
        return;
    p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

void program_kill(program *p)
{
    if (p->first <= 0)
        return;
    const pid_t *processes;
    size_t n = program_processes(p, &processes);
    kill(-p->first, SIGKILL);
    for (size_t i = 0; i < n; i++)
        kill(processes[i], SIGKILL);
    take_status(p, 0);
    for (size_t i = 0; i < n; i++)                 /* those of its children that became ours (a subreaper's) */
        if (processes[i] != p->first)
            waitpid(processes[i], NULL, 0);
    p->first = 0;
}

/* Its place is kept, since numbers refer to it; what its threads waited for is over. */
static void bury(shared *page, uint32_t place, pid_t pid)
{
    atomic_store(&page->processes[place], -pid);
    for (size_t i = 0; i < SHARED_SLOTS; i++)
        if (atomic_load(&page->slots[i].pid) == pid)
            atomic_store(&page->slots[i].state, SLOT_FREE);
}

size_t program_processes(program *p, const pid_t **out)
{
    size_t n = 0;
    take_status(p, WNOHANG);
    if (p->first > 0 && p->status < 0)
        p->alive[n++] = p->first;
    uint32_t count = atomic_load(&p->page->process_count);
    for (uint32_t i = 0; i < count && i < SHARED_PROCESSES && p->first > 0; i++) {
        pid_t pid = atomic_load(&p->page->processes[i]);
        if (pid == p->first || pid <= 0)
            continue;
        waitpid(pid, NULL, WNOHANG);               /* it is a child of ours only if its parent is gone */
        if (exists(pid))
            p->alive[n++] = pid;
        else
            bury(p->page, i, pid);
    }
    *out = p->alive;
    return n;
}

bool program_poll(program *p)
{
    const pid_t *processes;
    return program_processes(p, &processes) == 0;
}

int program_status(const program *p)
{
    return p->status;
}

shared *program_page(const program *p)
{
    return p->page;
}

int program_door(const program *p)
{
    return p->door;
}

void program_read_output(program *p, buf *out)
{
    char room[4096];
    ssize_t n;
    while (p->output >= 0 && (n = read(p->output, room, sizeof room)) > 0)
        buf_add(out, (str){ .p = room, .n = (size_t)n });
}

str program_last_words(const program *p, arena *a)
{
    struct stat st;
    if (p->errors < 0 || fstat(p->errors, &st) != 0 || st.st_size == 0)
        return S("");
    off_t from = st.st_size > LAST_WORDS_BYTES ? st.st_size - LAST_WORDS_BYTES : 0;
    char *room = arena_alloc(a, LAST_WORDS_BYTES);
    ssize_t n = pread(p->errors, room, LAST_WORDS_BYTES, from);
    str all = { .p = room, .n = n > 0 ? (size_t)n : 0 }, last = S("");
    for (size_t at = 0; at < all.n;) {
        size_t end = str_find(all, '\n', at);
        if (end > at)
            last = str_slice(all, at, end);
        at = end + 1;
    }
    return last;
}
