/* hostile.c - the library under what no program should do to it: texts that are no scenarios, memory that runs out at
 * every place in turn, threads, and the same again and again. Whatever happens, calls come back and nothing is printed.
 * Usage: hostile texts SEED COUNT FILE... | memory FILE | threads FILE | twice FILE | quiet    (beside the files) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <locksim.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define must(what) do { if (!(what)) { printf("not so: %s (line %d)\n", #what, __LINE__); exit(1); } } while (0)

/* ---- memory: the n-th piece that is asked for is not to be had, nor any after it ---- */

static _Thread_local long left = -1;                /* -1: there is always some */
static _Thread_local bool refused;

#ifdef SHORT_OF_MEMORY
/* lua-cjson ends the program where it gets none (locksim(3), BUGS): it always gets some. */
static bool is_to_be_had(void *caller)
{
    Dl_info of;
    if (left < 0 || (dladdr(caller, &of) && strstr(of.dli_fname, "cjson")))
        return true;
    refused |= left == 0;
    return left > 0 && left-- > 0;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t n) { return is_to_be_had(__builtin_return_address(0)) ? __libc_malloc(n) : NULL; }
void *calloc(size_t n, size_t m) { return is_to_be_had(__builtin_return_address(0)) ? __libc_calloc(n, m) : NULL; }
void *realloc(void *p, size_t n) { return is_to_be_had(__builtin_return_address(0)) ? __libc_realloc(p, n) : NULL; }
#endif

/* ---- what a user does ---- */

static char *read_file(const char *path, size_t *bytes)
{
    enum { MOST = 1 << 16 };
    FILE *f = fopen(path, "r");
    must(f);
    char *text = calloc(1, MOST);
    *bytes = fread(text, 1, MOST - 1, f);
    fclose(f);
    return text;
}

/* A sum over all that can be read of it, so that all of it is read; equal results have equal sums. */
static unsigned long walk(const locksim_result *r)
{
    unsigned long sum = locksim_result_verdict(r) + locksim_result_counts(r).states;
    const char *texts[] = { locksim_result_reason(r), locksim_result_advice(r), locksim_result_means(r),
                            locksim_result_text(r) };
    for (size_t i = 0; i < 4; i++)
        sum = sum * 31 + strlen(texts[i]);
    for (size_t i = 0; i < locksim_result_properties(r); i++) {
        const locksim_property *p = locksim_result_property(r, i);
        must(locksim_result_find(r, p->name) == p && locksim_result_find(r, p->code) == p);
        sum = sum * 31 + p->outcome + strlen(p->text) + strlen(p->why) + strlen(p->schedule);
        for (size_t k = 0; k < p->steps; k++) {
            const locksim_step *s = locksim_result_step(r, p, k);
            sum = sum * 31 + (unsigned long)s->at_ms + strlen(s->client) + strlen(s->token) + strlen(s->did) +
                  strlen(s->notes) + strlen(s->redis) + strlen(s->effects) + strlen(s->location);
        }
        must(!locksim_result_step(r, p, p->steps));
    }
    must(!locksim_result_property(r, locksim_result_properties(r)) && !locksim_result_find(r, "none"));
    return sum;
}

/* false: an error, which says something. */
static bool told(locksim_error **e)
{
    if (!*e)
        return false;
    must(locksim_error_code(*e) != 0 && strlen(locksim_error_message(*e)) > 0 && strlen(locksim_error_text(*e)) > 0);
    must(locksim_error_line(*e) >= 0 && locksim_error_column(*e) >= 0 && locksim_error_hint(*e) &&
         locksim_error_file(*e));
    locksim_error_free(*e);
    *e = NULL;
    return true;
}

static bool never(void *context, uint64_t states, uint64_t runs)
{
    (void)states;
    (void)runs;
    return --*(int *)context > 0;
}

/* 1 and more: a sum; 0: it met an error. */
static unsigned long run_text(const char *name, const char *text, size_t bytes)
{
    locksim_error *e = NULL;
    int asked = 200;
    unsigned long sum = 0;
    locksim_scenario *s = locksim_load_text(name, text, bytes, NULL, &e);
    must(!s == !!e);
    if (told(&e))
        return 0;
    must(strlen(locksim_scenario_name(s)) > 0 && locksim_scenario_title(s));
    locksim_result *r = locksim_run(s, &(locksim_run_options){ .max_states = 300, .runs = 20, .max_steps = 300,
                                    .max_memory_bytes = 64 << 20, .go_on = never, .context = &asked }, &e);
    must(!r == !!e);
    if (!told(&e))
        sum = walk(r) | 1;
    locksim_scenario_free(s);       /* its result stays */
    if (r)
        must((walk(r) | 1) == sum);
    locksim_result_free(r);
    return sum;
}

/* 0: it met an error. */
static unsigned long run_file(const char *name)
{
    locksim_error *e = NULL;
    unsigned long sum = 0;
    locksim_scenario *s = locksim_load(name, NULL, &e);
    must(!s == !!e);
    if (told(&e))
        return 0;
    locksim_result *r = locksim_run(s, NULL, &e);
    must(!r == !!e);
    if (!told(&e))
        sum = walk(r) | 1;
    locksim_result_free(r);
    locksim_scenario_free(s);
    return sum;
}

/* Of the scripts those that come to the ends of their budgets are left out, if `light`. */
static unsigned long use_store(bool light)
{
    static const char *const keys[] = { "k", "{k}:2", NULL }, *const args[] = { "7", "", NULL };
    locksim_error *e = NULL;
    unsigned long sum = 0;
    locksim_store *s = locksim_store_new(&(locksim_store_options){ .dialect = "valkey 8.1" }, &e);
    must(!s == !!e);
    if (told(&e))
        return 0;
    enum { HEAVY = 5 };
    static const char *const scripts[] = {
        "while true do end", "local t = {} for i = 1, 1e9 do t[i] = i .. 'x' end", "return string.rep('x', 2 ^ 28)",
        "local function f() return f() + 1 end return f()", "return ('a'):rep(1e5):find(('.-'):rep(1e4) .. 'b')",
        "redis.call('rpush', KEYS[1], unpack(ARGV)) redis.call('publish', KEYS[2], ARGV[1]) "
        "return { redis.call('lrange', KEYS[1], 0, -1), 1.5, false, 'text' }",
        "return redis.call('get', KEYS[1])", "return {", "x = 1", "error('mine')",
        "return redis.call('set', 'elsewhere', cjson.encode({1}))", "#!lua name=x\nredis.register_function('f', 1)",
        "return cmsgpack.unpack(ARGV[1])", "return cjson.decode(('['):rep(1e5))", "return struct.unpack('>I4', '')",
    };
    static const char *const subscribe[] = { "SUBSCRIBE", "{k}:2", NULL };
    static const char *const pop[] = { "BLPOP", "none", "1", NULL }, *const odd[] = { "", NULL };
    static const char *const nothing[] = { NULL }, *const shut[] = { "SHUTDOWN", NULL };
    bool ok = locksim_store_command(s, 1, subscribe, &e) && locksim_store_command(s, 2, pop, &e);
    for (size_t i = light ? HEAVY : 0; i < sizeof scripts / sizeof *scripts && ok; i++) {
        const locksim_reply *r = locksim_store_eval(s, 0, scripts[i], keys, args, &e);
        ok = r != NULL;
        sum = sum * 31 + (r ? r->kind + strlen(r->shown) : 0);
    }
    ok = ok && locksim_store_command(s, 0, odd, &e) && locksim_store_command(s, 0, shut, &e) &&
         locksim_store_advance(s, 1001, &e);
    if (ok) {
        must(!locksim_store_command(s, 0, nothing, &e) && told(&e));
        must(!locksim_store_advance(s, -1, &e) && told(&e));
        ok = locksim_store_next(s, 2, &e) && !locksim_store_next(s, 2, &e) && !e && locksim_store_next(s, 1, &e);
        while (ok && locksim_store_finding(s, &e))
            sum++;
        ok = ok && !e;
    }
    must(ok == !told(&e));
    locksim_store_free(s);
    return ok ? sum | 1 : 0;
}

/* ---- the trials ---- */

static void texts(unsigned seed, int count, char **files, int file_count)
{
    int loaded = 0;
    for (int i = 0; i < count; i++) {
        size_t n;
        char *text = read_file(files[i % file_count], &n);
        for (unsigned k = rand_r(&seed) % 4 + 1; k > 0 && n > 8; k--) {
            size_t at = rand_r(&seed) % (n - 4), bytes = rand_r(&seed) % 40 + 1, from = rand_r(&seed) % n;
            if (at + bytes > n || from + bytes > n)
                bytes = 1;
            switch (rand_r(&seed) % 6) {
            case 0: text[at] = (char)rand_r(&seed); break;
            case 1: memmove(text + at, text + from, bytes); break;           /* a piece of it elsewhere */
            case 2: memmove(text + at, text + at + bytes, n - at - bytes); n -= bytes; break;
            case 3: n = at + 1; break;
            case 4: for (size_t d = 0; d < bytes && at + d < n; d++)         /* another number */
                        if (text[at + d] >= '0' && text[at + d] <= '9')
                            text[at + d] = (char)('0' + rand_r(&seed) % 10);
                    break;
            default: memset(text + at, "{}()=,\"\n"[rand_r(&seed) % 8], bytes % 3 + 1); break;
            }
        }
        loaded += run_text(i % 9 ? "mine.lua:plain" : "mine.lua", text, n) > 0;
        free(text);
    }
    printf("%d texts, %d of them ran\n", count, loaded);
    must(loaded > 0 && loaded < count);
}

/* One piece fewer is to be had each time; with every tenth, from some hundred on, so that it ends. */
static long starve(unsigned long (*work)(const char *), const char *file, unsigned long right)
{
    long refusals = 0;
    unsigned long sum = 0;
    for (long n = 0; sum != right; n += n < 300 ? 1 : n / 10) {
        left = n;
        refused = false;
        sum = work(file);
        left = -1;
        must(refused || sum == right);
        refusals += refused;
        must(refusals < 2000);
    }
    return refusals;
}
static unsigned long work_store(const char *file) { (void)file; return use_store(true); }

static void memory(const char *file)
{
    long in_file = starve(run_file, file, run_file(file)), in_store = starve(work_store, file, use_store(true));
    printf("%ld times out of memory with a scenario, %ld with a store\n", in_file, in_store);
    must(in_file > 300 && in_store > 100);
}

static void *in_thread(void *file)
{
    return (void *)(run_file(file) ^ use_store(false));
}

static void threads(char *file)
{
    enum { COUNT = 3 };
    pthread_t at[COUNT];
    unsigned long right = run_file(file) ^ use_store(false);
    for (int i = 0; i < COUNT; i++)
        must(pthread_create(&at[i], NULL, in_thread, file) == 0);
    for (int i = 0; i < COUNT; i++) {
        void *sum;
        must(pthread_join(at[i], &sum) == 0);
        must((unsigned long)sum == right);
    }
}

static void twice(const char *file)
{
    locksim_error *e = NULL;
    locksim_scenario *s = locksim_load(file, NULL, &e);
    must(s);
    locksim_result *first = locksim_run(s, NULL, &e), *second = locksim_run(s, NULL, &e);
    must(first && second && walk(first) == walk(second));
    const locksim_property *p = locksim_result_find(first, "LK002");
    must(p && p->outcome == LOCKSIM_VIOLATED);
    locksim_result *again = locksim_run(s, &(locksim_run_options){ .schedule = p->schedule }, &e);
    must(again && locksim_result_find(again, "LK002")->outcome == LOCKSIM_VIOLATED);
    must(locksim_result_step(again, NULL, 0));
    must(!locksim_run(s, &(locksim_run_options){ .schedule = "A nonsense" }, &e) && told(&e));
    locksim_scenario_free(s);
    locksim_result_free(first);
    must(walk(second) > 0);
    locksim_result_free(second);
    locksim_result_free(again);
    const char *const *names = locksim_names("stock.lua", NULL, &e);
    must(names && strcmp(names[0], "stock.lua:pause") == 0 && strcmp(names[1], "stock.lua:plain") == 0 && !names[2]);
    locksim_names_free(names);
    must(!locksim_names("nowhere.lua", NULL, &e) && told(&e));
    must(!locksim_load("nowhere.lua", NULL, &e) && told(&e));
    must(!locksim_load("stock.lua:none", NULL, &e) && told(&e));
    must(!locksim_load("stock.lua:plain", &(locksim_load_options){ .faults = "no=such" }, &e) && told(&e));
    must(!locksim_load("stock.lua:plain", &(locksim_load_options){ .dialect = "redis 1" }, NULL));
    must(!locksim_store_new(&(locksim_store_options){ .dialect = "redis 1" }, &e) && told(&e));
    must(!locksim_load(NULL, NULL, &e) && told(&e));
}

/* Whatever is done, nobody hears of it, and no signal is caught. */
static void quiet(void)
{
    int out = dup(1), files[2];
    must(pipe(files) == 0 && dup2(files[1], 1) == 1 && dup2(files[1], 2) == 2);
    run_file("stock.lua:pause");
    run_text("x.lua", "return 1", 8);
    use_store(true);
    fflush(NULL);
    close(files[1]);
    must(dup2(out, 1) == 1 && close(2) == 0);
    char c;
    must(read(files[0], &c, 1) == 0);
    for (int i = 1; i < 32; i++) {
        struct sigaction now;
        must(sigaction(i, NULL, &now) != 0 || now.sa_handler == SIG_DFL);
    }
}

int main(int argc, char **argv)
{
    must(argc > 1);
    const char *what = argv[1];
    if (strcmp(what, "texts") == 0 && argc > 4)
        texts((unsigned)atoi(argv[2]), atoi(argv[3]), argv + 4, argc - 4);
    else if (strcmp(what, "memory") == 0 && argc > 2)
        memory(argv[2]);
    else if (strcmp(what, "threads") == 0 && argc > 2)
        threads(argv[2]);
    else if (strcmp(what, "twice") == 0 && argc > 2)
        twice(argv[2]);
    else if (strcmp(what, "quiet") == 0)
        quiet();
    else
        must(!"one of the trials above");
    return 0;
}
