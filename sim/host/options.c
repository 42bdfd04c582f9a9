/* options.c - the parser of the command line, the checks of what goes together, and the text of --help. */
#include "host/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/wrap.h"
#include "host/options_internal.h"
#include "redis/dialect.h"
#include "scenario/scenario.h"

static bool unknown_option(command_kind c, str name, err *e)
{
    size_t count, n = 0;
    const option_row *rows = option_rows(&count);
    str known[count];
    for (size_t i = 0; i < count; i++)
        if (rows[i].commands & (1u << c))
            known[n++] = str_from(rows[i].name);
    str near = err_nearest(name, known, n);
    const char *command = command_name(c);
    err_set(e, ERR_USAGE, "`locksim %s` has no option '--%.*s'", command, STR_ARG(name));
    if (near.n)
        return err_hint(e, "did you mean --%.*s?", STR_ARG(near));
    return err_hint(e, "`locksim %s --help` lists its options", command);
}

static const option_row *find_row(command_kind c, str name, char letter)
{
    size_t count;
    const option_row *rows = option_rows(&count);
    for (size_t i = 0; i < count; i++)
        if ((rows[i].commands & (1u << c)) &&
            (letter ? rows[i].letter == letter : str_eq(str_from(rows[i].name), name)))
            return &rows[i];
    return NULL;
}

/* The flag that this name takes back: --no-reduction takes back --reduction, --memo takes back --no-memo, which may
 * stand in .locksim/config. */
static const option_row *find_opposite(command_kind c, str name)
{
    enum { WORD_MAX = 64 };
    char word[WORD_MAX] = "no-";
    bool has_no = str_starts(name, S("no-"));
    if (!has_no && name.n + 3 <= WORD_MAX)
        memcpy(word + 3, name.p, name.n);
    str opposite = has_no ? str_slice(name, 3, name.n) : (str){ .p = word, .n = name.n + 3 };
    const option_row *row = opposite.n <= WORD_MAX ? find_row(c, opposite, 0) : NULL;
    return row && row->kind == OPTION_FLAG ? row : NULL;
}

/* Decimal digits only: no sign, no blanks, no overflow. */
static bool parse_number(str s, uint64_t *n)
{
    *n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(s.p[i] - '0');
        if (*n > (UINT64_MAX - digit) / 10)
            return false;
        *n = *n * 10 + digit;
    }
    return s.n > 0;
}

static bool take_word(const option_row *row, str value, int *choice, err *e)
{
    str words = str_from(row->argument), known[8];
    size_t n = 0;
    for (size_t from = 0; from <= words.n; n++) {
        size_t end = str_find(words, '|', from);
        known[n] = str_slice(words, from, end);
        if (str_eq(known[n], value)) {
            *choice = (int)n;
            return true;
        }
        from = end + 1;
    }
    str near = err_nearest(value, known, n);
    err_set(e, ERR_USAGE, "--%s takes one of %s, not '%.*s'", row->name, row->argument, STR_ARG(value));
    return near.n ? err_hint(e, "did you mean %.*s?", STR_ARG(near)) : false;
}

static bool take_value(arena *a, const option_row *row, const char *value, options *o, err *e)
{
    char *base = (char *)o;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)(base + row->value) = true;
        return true;
    case OPTION_TEXT:
        *(const char **)(base + row->value) = value;
        return true;
    case OPTION_WORD:
        return take_word(row, str_from(value), (int *)(base + row->value), e);
    case OPTION_LIST: {
        const char ***list = (const char ***)(base + row->value);
        size_t *count = (size_t *)(base + row->given);
        const char **longer = ARENA_ARRAY(a, const char *, *count + 1);
        if (*count)
            memcpy(longer, *list, *count * sizeof *longer);
        longer[(*count)++] = value;
        *list = longer;
        return true;
    }
    case OPTION_NUMBER: {
        uint64_t *n = (uint64_t *)(base + row->value);
        if (!parse_number(str_from(value), n) || *n < row->least || *n > row->most) {
            err_set(e, ERR_USAGE, "--%s takes a whole number from %llu to %llu, not '%s'", row->name,
                    (unsigned long long)row->least, (unsigned long long)row->most, value);
            return false;
        }
        *(bool *)(base + row->given) = true;
        return true;
    }
    case OPTION_SIZE:
        if (!size_parse(str_from(value), (uint64_t *)(base + row->value))) {
            err_set(e, ERR_USAGE, "--%s takes a number of bytes, not '%s'", row->name, value);
            return err_hint(e, "512M, 4G: K is 1024 bytes, M 1024 K, G 1024 M");
        }
        return *(bool *)(base + row->given) = true;
    }
    return false;
}

/* What `serve` cannot do at once. */
static bool check_serve_mix(const options *o, err *e)
{
    if (o->stdio && (o->has_port || o->unix_path || o->bind)) {
        err_set(e, ERR_USAGE, "--stdio serves standard input and output only: it listens nowhere");
        return err_hint(e, "leave out --stdio, or --port, --unix and --bind");
    }
    if (o->bind && o->unix_path && !o->has_port) {
        err_set(e, ERR_USAGE, "--bind is the address of a port, and only --unix is given");
        return err_hint(e, "give --port, too, or leave out --bind");
    }
    if (o->has_start && o->clock != CLOCK_MANUAL) {
        err_set(e, ERR_USAGE, "--start is where a manual clock begins, and the clock is real");
        return err_hint(e, "give --clock manual");
    }
    return true;
}

/* --lines FIRST-LAST */
static bool check_lines(options *o, err *e)
{
    char *end;
    if (!o->lines)
        return true;
    if (!o->to_scenario) {
        err_set(e, ERR_USAGE, "--lines says which passage --to-scenario takes");
        return err_hint(e, "locksim trace LOG --to-scenario FILE --lines %s", o->lines);
    }
    o->lines_from = strtoull(o->lines, &end, 10);
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        o->lines_to = strtoull(end + 1, &end, 10);
    if (*end == '\0' && o->lines_from > 0 && o->lines_to >= o->lines_from)
        return true;
    err_set(e, ERR_USAGE, "--lines takes the first and the last line of a passage, not '%s'", o->lines);
    return err_hint(e, "--lines 120-180");
}

static bool check_dialect(const options *o, err *e)
{
    dialect d;
    str said = o->dialect ? str_from(o->dialect) : S("");
    size_t comma = str_find(said, ',', 0);
    if (o->command == COMMAND_COMPARE && !o->dialect && o->argument_count < 2) {
        err_set(e, ERR_USAGE, "`locksim compare` takes %s", command_describe(COMMAND_COMPARE)->arguments);
        return err_hint(e, "`locksim compare --help` has an example; --dialect A,B compares two servers by any "
                        "scenario");
    }
    if (o->command == COMMAND_COMPARE && o->dialect && comma == said.n) {
        err_set(e, ERR_USAGE, "--dialect names the two servers that are compared, a comma between them");
        return err_hint(e, "locksim compare --dialect \"redis 7.0,valkey 9.1\" SCENARIO");
    }
    if (!o->dialect || (dialect_parse(str_slice(said, 0, comma), &d) && (o->command != COMMAND_COMPARE ||
                                                                         dialect_parse(str_slice(said, comma + 1,
                                                                                                 said.n), &d))))
        return true;
    buf known = { 0 };
    dialect_tell_names(&known);
    err_set(e, ERR_USAGE, "--dialect: there is no dialect '%s'", o->dialect);
    err_hint(e, "there are %.*s", STR_ARG(buf_str(&known)));
    buf_free(&known);
    return false;
}

/* What would make the result say something that is not so is refused. */
static bool check_mix(const options *o, err *e)
{
    uint32_t budgets[FAULT_KINDS];
    if (o->mpi && o->has_jobs) {
        err_set(e, ERR_USAGE, "--mpi and --jobs cannot be mixed: each rank uses one core");
        return err_hint(e, "start as many ranks as there are cores: mpirun -n N, or srun -n N");
    }
    if (o->faults && !fault_budgets_parse(str_from(o->faults), budgets, e))
        return false;
    bool sampled = o->has_runs || o->strategy != CHOICE_UNSAID, limited = o->has_max_states || o->has_max_memory;
    bool states = o->exhaustive || o->no_memo || limited;
    if (o->schedule && (sampled || o->no_fold || states)) {
        err_set(e, ERR_USAGE, "--schedule follows one schedule: %s", states ? "--exhaustive, --no-memo and limits "
                "visit every state"
                                                                            : "--runs, --strategy and --no-fold search "
                                                                            "for one");
        return err_hint(e, "give --schedule alone");
    }
    if ((o->exhaustive || o->no_memo) && (sampled || o->no_fold)) {
        err_set(e, ERR_USAGE, o->no_fold ? "--%s visits every state once: --no-fold runs every schedule and merges "
                "nothing"
                                         : "--%s visits every state: --runs and --strategy sample them",
                o->exhaustive ? "exhaustive" : "no-memo");
        return err_hint(e, "leave one of them out");
    }
    if (limited && (sampled || o->no_fold)) {
        err_set(e, ERR_USAGE, "--max-states and --max-memory limit an exhaustive search: %s keeps no states",
                o->no_fold ? "--no-fold" : "a random one");
        return err_hint(e, "--time-limit limits every kind of search");
    }
    if (o->table && o->format != FORMAT_TEXT && o->format != FORMAT_MARKDOWN) {
        err_set(e, ERR_USAGE, "--table is written as text or markdown");
        return err_hint(e, "leave out --table: the other formats hold all of it");
    }
    if (o->expected && (o->format != FORMAT_MARKDOWN || o->table)) {
        err_set(e, ERR_USAGE, "--expected makes the table of --format markdown, and nothing else");
        return err_hint(e, "locksim run DIR --format markdown --expected");
    }
    if (o->expected && (sampled || o->schedule || states || o->no_fold || o->has_time_limit || o->faults)) {
        err_set(e, ERR_USAGE, "--expected searches nothing: nothing can be chosen or limited, and other faults have no "
                "expectations");
        return err_hint(e, "leave one of them out");
    }
    if (o->write_expect && (o->expected || sampled || o->schedule || o->no_fold || o->faults || o->dialect ||
                            o->pinned)) {
        err_set(e, ERR_USAGE, "--write-expect writes down what the scenarios' own worlds show, all of their states");
        return err_hint(e, "leave out --expected, --runs, --strategy, --schedule, --no-fold, --faults, --dialect and "
                        "--pinned");
    }
    if ((o->measure || o->baseline) &&
        (o->expected || o->table || (o->format != FORMAT_TEXT && o->format != FORMAT_JSON))) {
        err_set(e, ERR_USAGE, "--%s is written as text or json", o->baseline ? "baseline" : "measure");
        return err_hint(e, "leave out --table and --expected, and give --format text or json");
    }
    if (o->no_fold && sampled) {
        err_set(e, ERR_USAGE, "--no-fold runs every schedule: --runs and --strategy sample them");
        return err_hint(e, "leave one of them out");
    }
    return true;
}

/* The option at argv[*i], and its value, which may be the next word: *i moves to the last word used. */
static bool take_option(arena *a, int argc, char **argv, int *i, options *out, err *e)
{
    const char *command = command_name(out->command);
    str arg = str_from(argv[*i]);
    bool is_long = arg.p[1] == '-';
    size_t equals = is_long ? str_find(arg, '=', 2) : arg.n;
    str name = is_long ? str_slice(arg, 2, equals) : str_slice(arg, 1, 2);
    const option_row *row = find_row(out->command, name, is_long ? 0 : arg.p[1]);
    const option_row *back = !row && is_long && equals == arg.n ? find_opposite(out->command, name) : NULL;
    if (back) {
        *(bool *)((char *)out + back->value) = false;
        return true;
    }
    if (!row && is_long)
        return unknown_option(out->command, name, e);
    if (!row) {
        err_set(e, ERR_USAGE, "`locksim %s` has no option '-%c'", command, arg.p[1]);
        return err_hint(e, "`locksim %s --help` lists its options", command);
    }
    const char *value = NULL;
    if (is_long && equals < arg.n)
        value = argv[*i] + equals + 1;
    else if (!is_long && arg.n > 2)
        value = argv[*i] + 2;
    if (row->kind == OPTION_FLAG && value)
        return err_set(e, ERR_USAGE, "--%s takes no value", row->name);
    if (row->kind != OPTION_FLAG && !value) {
        if (*i + 1 >= argc)
            return err_set(e, ERR_USAGE, "--%s needs a value: %s", row->name, row->argument);
        value = argv[++*i];
    }
    return take_value(a, row, value, out, e);
}

bool options_ask_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

/* The words one by one; what is not given keeps "unsaid". */
bool options_parse_some(arena *a, command_kind c, int argc, char **argv, options *out, err *e)
{
    *out = (options){ .command = c, .strategy = CHOICE_UNSAID, .format = CHOICE_UNSAID, .color = CHOICE_UNSAID,
                      .clock = CHOICE_UNSAID, .keys = CHOICE_UNSAID, .verdicts = CHOICE_UNSAID, .kind = CHOICE_UNSAID };
    out->arguments = ARENA_ARRAY(a, const char *, (size_t)argc + 1);
    bool only_arguments = false;
    for (int i = 0; i < argc; i++) {
        str arg = str_from(argv[i]);
        if (only_arguments || arg.n < 2 || arg.p[0] != '-')
            out->arguments[out->argument_count++] = argv[i];
        else if (str_eq(arg, S("--")))
            only_arguments = true;
        else if (!take_option(a, argc, argv, &i, out, e))
            return false;
    }
    return true;
}

bool options_parse(arena *a, command_kind c, int argc, char **argv, options *out, err *e)
{
    if (options_ask_help(argc, argv)) {
        *out = (options){ .command = c };
        return out->help = true;
    }
    if (!options_parse_some(a, c, argc, argv, out, e))
        return false;
    const command_info *info = command_describe(c);
    if (out->argument_count < info->arguments_min || out->argument_count > info->arguments_max) {
        err_set(e, ERR_USAGE, "`locksim %s` takes %s", command_name(c), info->arguments);
        str line = str_slice(str_from(info->example), 0, str_find(str_from(info->example), '\n', 0));
        while (line.n && line.p[0] == ' ')
            line = str_slice(line, 1, line.n);
        return err_hint(e, "for example `%.*s`; `locksim %s --help` says more", STR_ARG(line), command_name(c));
    }
    if (out->format == CHOICE_UNSAID)
        out->format = FORMAT_TEXT;
    if (out->color == CHOICE_UNSAID)
        out->color = COLOR_AUTO;
    if (out->clock == CHOICE_UNSAID)
        out->clock = CLOCK_REAL;
    return check_mix(out, e) && check_serve_mix(out, e) && check_dialect(out, e) && check_lines(out, e);
}

/* "  -j, --jobs N", and after it, or on the next line if that is too long, its text. */
static void help_option(const option_row *row, buf *out)
{
    enum { COLUMN = 24 };
    size_t from = out->n;
    buf_addz(out, row->letter ? "  " : "      ");
    if (row->letter)
        buf_printf(out, "-%c, ", row->letter);
    buf_printf(out, "--%s", row->name);
    if (row->argument)
        buf_printf(out, " %s", row->argument);
    if (out->n - from > COLUMN - 2) {
        buf_byte(out, '\n');
        from = out->n;
    }
    while (out->n - from < COLUMN)
        buf_byte(out, ' ');
    wrap_words(out, str_from(row->help), COLUMN, COLUMN, WRAP_WIDTH);
    buf_byte(out, '\n');
}

void options_help(command_kind c, buf *out)
{
    const command_info *info = command_describe(c);
    size_t count;
    const option_row *rows = option_rows(&count);
    size_t from = out->n;
    buf_printf(out, "locksim %s - ", command_name(c));
    wrap_words(out, str_from(info->summary), out->n - from, out->n - from, WRAP_WIDTH);
    buf_printf(out, "\n\nUsage: locksim %s [OPTION]... %s\n\n", command_name(c), info->arguments);
    wrap_paragraphs(out, str_from(info->about), WRAP_WIDTH);
    buf_addz(out, "\nOptions:\n");
    for (size_t i = 0; i < count; i++)
        if (rows[i].commands & (1u << c))
            help_option(&rows[i], out);
    buf_printf(out, "\nExample:\n%s", info->example);
    if (info->more) {
        buf_byte(out, '\n');
        info->more(out);
    }
}
