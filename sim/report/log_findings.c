/* log_findings.c - see log_findings.h. */
#include "report/log_findings.h"

#include <inttypes.h>
#include <string.h>

#include "report/clean.h"
#include "report/fold.h"
#include "report/simulation_parts.h"

enum { LABEL_COLUMNS = SIMULATION_LABEL_COLUMNS };

static uint64_t violations(const traced_log *t)
{
    return t->found[FOUND_VIOLATION];
}

/* Warnings say where to look; differences and similar findings say what is unknown. */
static uint64_t warnings(const traced_log *t)
{
    return t->found[FOUND_OVERRUN] + t->found[FOUND_ORPHAN] + t->found[FOUND_STORM];
}

static bool is_weak(const traced_log *t)
{
    return t->found[FOUND_DIFFERENCE] > 0 || t->found[FOUND_DISORDER] > 0 || t->read.bad > t->cut ||
           (t->counts.unknown > 0 && !t->counts.lua_seen) || t->conform.undecided > 0;
}

const char *traced_verdict(const traced_log *t)
{
    if (t->read.records == 0)
        return "ERROR";
    if (violations(t) + t->found[FOUND_STRANGE] > 0)
        return "FAIL";
    if (t->counts.grants == 0)
        return "VACUOUS";
    return is_weak(t) ? "INCONCLUSIVE" : "PASS";
}

int traced_status(const traced_log *t)
{
    static const struct { const char *verdict; int status; } statuses[] = {
        { "ERROR", 65 }, { "FAIL", 1 }, { "VACUOUS", 3 }, { "INCONCLUSIVE", 2 }, { "PASS", 0 },
    };
    const char *verdict = traced_verdict(t);
    for (size_t i = 0; i < COUNT(statuses); i++)
        if (strcmp(statuses[i].verdict, verdict) == 0)
            return statuses[i].status;
    return 70;
}

/* 2023-11-14 22:13:20.123 UTC. Source of the calendar: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms",
 * civil_from_days. */
static void add_date(buf *out, int64_t at_us)
{
    int64_t ms = at_us / 1000, day = ms / 86400000, rest = ms % 86400000;
    int64_t z = day + 719468, era = z / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100),
                  mp = (5 * doy + 2) / 153;
    int64_t month = mp < 10 ? mp + 3 : mp - 9, year = yoe + era * 400 + (month <= 2);
    buf_printf(out, "%04d-%02d-%02d %02d:%02d:%02d.%03d UTC", (int)year, (int)month,
               (int)(doy - (153 * mp + 2) / 5 + 1), (int)(rest / 3600000),
               (int)(rest / 60000 % 60), (int)(rest / 1000 % 60), (int)(rest % 1000));
}

static void add_count_of(buf *out, uint64_t n, const char *one, const char *many)
{
    report_add_count(out, n);
    buf_printf(out, " %s", n == 1 ? one : many);
}

static void add_wrapped(const char *label, size_t columns, str text, buf *out)
{
    str rest = text;
    for (bool first = true; rest.n; first = false) {
        str part = clean_line(&rest, TEXT_COLUMNS - columns - 2);
        buf_printf(out, "  %-*s%.*s\n", (int)columns, first ? label : "", STR_ARG(part));
    }
}

static void add_cleaned(const char *label, size_t columns, str text, buf *out)
{
    buf b = { 0 };
    clean_text(&b, text);
    add_wrapped(label, columns, buf_str(&b), out);
    buf_free(&b);
}

static void add_verdict(const traced_log *t, const report_style *style, buf *out)
{
    const char *verdict = traced_verdict(t);
    bool good = strcmp(verdict, "PASS") == 0, bad = strcmp(verdict, "FAIL") == 0 || strcmp(verdict, "ERROR") == 0;
    buf_printf(out, "%s%s%s  ", !style->color ? "" : good ? "\033[32m" : bad ? "\033[31;1m" : "\033[33;1m", verdict,
               style->color ? "\033[0m" : "");
    clean_text(out, t->path);
    buf_addz(out, "   ");
    if (t->read.records == 0) {
        buf_addz(out, "no line of it is one of MONITOR or JSON\n");
        return;
    }
    add_count_of(out, violations(t), "violation", "violations");
    buf_addz(out, ", ");
    add_count_of(out, warnings(t), "warning", "warnings");
    if (t->driver.n) {
        buf_addz(out, ", ");
        add_count_of(out, t->found[FOUND_STRANGE], "strange request", "strange requests");
    }
    buf_addz(out, "; ");
    add_count_of(out, t->counts.requests, "request about locks", "requests about locks");
    buf_addz(out, ", ");
    add_count_of(out, t->counts.grants, "grant", "grants");
    buf_byte(out, '\n');
}

static void add_title(const finding *f, buf *out)
{
    if (f->kind == FOUND_VIOLATION) {
        const property_info *p = property_describe(f->property);
        buf_printf(out, "%s %s", p->code, p->name);
    } else {
        buf_addz(out, found_name(f->kind));
    }
    if (f->lock.n) {
        buf_addz(out, "  \"");
        clean_text(out, f->lock);
        buf_byte(out, '"');
    }
}

static void add_finding(const traced_log *t, const finding *f, const report_style *style, buf *out)
{
    enum { INDENT = 4 };
    int64_t ms = (f->at_us - t->counts.begin_us) / 1000;
    buf_printf(out, "\n  %s", style->color && f->kind == FOUND_VIOLATION ? "\033[31m" : "");
    add_title(f, out);
    buf_printf(out, "%s   line %zu, at %" PRId64 ".%03d s", style->color && f->kind == FOUND_VIOLATION ? "\033[0m" : "",
               f->line, ms / 1000, (int)(ms % 1000));
    if (f->since && f->since != f->line)
        buf_printf(out, ", since line %zu", f->since);
    buf_byte(out, '\n');
    add_cleaned("", INDENT - 2, f->text, out);
    add_cleaned("", INDENT - 2, f->why, out);
}

static void add_findings(const traced_log *t, const report_style *style, buf *out)
{
    uint64_t all = 0;
    for (size_t i = 0; i < t->finding_count; i++)
        add_finding(t, &t->findings[i], style, out);
    for (size_t k = 0; k < FOUND_KINDS; k++)
        all += t->found[k];
    if (all > t->finding_count) {
        buf_addz(out, "\n  ");
        report_add_count(out, all - t->finding_count);
        buf_addz(out, " more, of kinds that are shown above: --verbose shows more of each\n");
    }
    if (all)
        buf_byte(out, '\n');
}

static void add_bad_lines(const traced_log *t, buf *out)
{
    for (size_t i = 0; i < t->bad_count; i++) {
        const bad_line *b = &t->bads[i];
        buf_printf(out, "  %-*sline %zu: %s", LABEL_COLUMNS, i ? "" : "bad lines", b->line, b->why);
        if (b->text.n) {
            buf_addz(out, ": ");
            buf shown = { 0 };
            clean_text(&shown, b->text);
            str cut = clean_cut(buf_str(&shown), 60);
            buf_printf(out, "%.*s%s", STR_ARG(cut), cut.n < shown.n ? "..." : "");
            buf_free(&shown);
        }
        buf_byte(out, '\n');
    }
    if (t->read.bad > t->bad_count)
        buf_printf(out, "  %-*s... %" PRIu64 " in all\n", LABEL_COLUMNS, "", t->read.bad);
}

static void add_span(const traced_log *t, buf *out)
{
    buf b = { 0 };
    int64_t us = t->counts.end_us - t->counts.begin_us;
    report_add_count(&b, t->read.lines);
    buf_addz(&b, " lines from ");
    add_date(&b, t->counts.begin_us);
    buf_printf(&b, ", %" PRId64 ".%03d s; lock tables:", us / 1000000, (int)(us / 1000 % 1000));
    for (size_t i = 0; i < t->family_count; i++)
        buf_printf(&b, "%s %.*s", i ? "," : "", STR_ARG(t->families[i]));
    add_cleaned("log", LABEL_COLUMNS, buf_str(&b), out);
    buf_free(&b);
}

static void add_ends(const traced_log *t, buf *out)
{
    const trace_counts *c = &t->counts;
    buf b = { 0 };
    add_count_of(&b, c->releases, "release", "releases");
    buf_addz(&b, ", ");
    add_count_of(&b, c->lapses, "lease that ended", "leases that ended");
    buf_addz(&b, ", ");
    add_count_of(&b, c->renewals, "renewal", "renewals");
    buf_addz(&b, ", ");
    add_count_of(&b, c->refusals, "refusal", "refusals");
    buf_printf(&b, "; at the end %zu held, %zu waited", c->held, c->waiting);
    add_wrapped("holds", LABEL_COLUMNS, buf_str(&b), out);
    buf_free(&b);
}

/* In which order clients' own requests were executed was searched. */
static void add_order(const order_counts *c, buf *out)
{
    buf b = { 0 };
    add_count_of(&b, c->requests, "request", "requests");
    buf_addz(&b, " of clients' own logs; ");
    if (c->unexplained) {
        buf_printf(&b, "no order was found that explains the answer of line %zu", c->unexplained_line);
        if (c->unexplained > 1) {
            buf_addz(&b, " and ");
            add_count_of(&b, c->unexplained - 1, "other", "others");
        }
        buf_addz(&b, c->given_up ? " (the search has a limit); " : "; ");
    } else {
        buf_addz(&b, "an order was found that explains all answers, others may, too; ");
    }
    if (c->unknown) {
        report_add_count(&b, c->unknown);
        buf_addz(&b, " without an answer, of which ");
        report_add_count(&b, c->done);
        buf_addz(&b, " are taken as executed; ");
    }
    if (c->as_sent) {
        report_add_count(&b, c->as_sent);
        buf_addz(&b, " about keys of a waiting pop, of an unknown script, or of none, in the order of their answers; ");
    }
    buf_addz(&b, "clients' clocks are taken to be one");
    add_wrapped("order", LABEL_COLUMNS, buf_str(&b), out);
    buf_free(&b);
}

/* --conform: whose requests are a behaviour of the driver. */
static void add_conform(const traced_log *t, buf *out)
{
    const conform_counts *c = &t->conform;
    buf b = { 0 };
    add_count_of(&b, c->requests, "request", "requests");
    buf_addz(&b, " of ");
    add_count_of(&b, c->owners, "owner", "owners");
    buf_printf(&b, ": %" PRIu64 " behave as %.*s may", c->conforming, STR_ARG(t->driver));
    buf_printf(&b, ", %" PRIu64 " sent what it would never send", c->strange);
    if (c->undecided)
        buf_printf(&b, ", %" PRIu64 " are undecided (%.*s)", c->undecided, STR_ARG(c->undecided_why));
    if (c->passed_over) {
        buf_addz(&b, "; passed over ");
        report_add_count(&b, c->passed_over);
    }
    add_cleaned("conform", LABEL_COLUMNS, buf_str(&b), out);
    buf_free(&b);
}

/* The basis of the result, and what it does not show. */
static void add_means(const traced_log *t, buf *out)
{
    const trace_counts *c = &t->counts;
    buf b = { 0 };
    if (t->order)
        add_order(t->order, out);
    if (t->driver.n)
        add_conform(t, out);
    buf_addz(&b,
             "judged from the server's account: LK001, LK003, LK031, LK050, and LK020 of locks that keep a queue. ");
    if (c->compared > 0) {
        add_count_of(&b, c->compared, "run of a script was", "runs of scripts were");
        buf_addz(&b, " compared with the commands that the log has of them; ");
    }
    if (c->answers > 0) {
        add_count_of(&b, c->answers, "answer was", "answers were");
        buf_addz(&b, " compared; ");
    }
    if (c->compared + c->answers == 0)
        buf_addz(&b, "the log has neither answers nor the commands of scripts: that its server did what ours did is "
                 "taken for granted; ");
    add_count_of(&b, c->differed, "differs", "differ");
    if (c->unsure > 0) {
        buf_addz(&b, "; ");
        add_count_of(&b, c->unsure, "request was", "requests were");
        buf_addz(&b, " not judged, for it was not known who held the lock then");
    }
    if (c->unknown > 0) {
        buf_addz(&b, "; ");
        add_count_of(&b, c->unknown, "run", "runs");
        buf_addz(&b, " of unknown scripts");
    }
    if (t->order) {
        buf_addz(&b, "; LK002 by the clients' own account, of ");
        add_count_of(&b, c->beliefs, "hold", "holds");
        buf_addz(&b, " that ended with a release");
    }
    add_wrapped("means", LABEL_COLUMNS, buf_str(&b), out);
    buf_free(&b);
    if (t->order)
        add_wrapped("not shown", LABEL_COLUMNS, S("LK002 of a hold that its client did not release: until when it "
                    "believed in it is not known. A paused or cut off client cannot be told from a dead one."), out);
    else
        add_wrapped("not shown", LABEL_COLUMNS,
                S("LK002, whether two clients believed at one time that they hold a lock: a server's log does not say "
                  "what clients believe. A paused or cut off client cannot be told from a dead one."), out);
}

void report_trace_account(const traced_log *t, buf *out)
{
    add_bad_lines(t, out);
    if (t->cut)
        buf_printf(out, "  %-*sthe last line is cut: it does not count\n", LABEL_COLUMNS, "end");
    if (t->read.records == 0)
        return;
    add_span(t, out);
    add_ends(t, out);
    add_means(t, out);
}

static void add_all(const traced_log *t, const report_style *style, buf *out)
{
    add_verdict(t, style, out);
    if (t->read.records == 0) {
        add_bad_lines(t, out);
        return;
    }
    add_findings(t, style, out);
    add_bad_lines(t, out);
    if (t->cut)
        buf_printf(out, "  %-*sthe last line is cut: it does not count\n", LABEL_COLUMNS, "end");
    add_span(t, out);
    add_ends(t, out);
    if (t->counts.grants > 0)
        report_simulation_numbers(t->measured, out);
    add_means(t, out);
    if (t->measured->folder.n) {
        buf_printf(out, "  %-*s", LABEL_COLUMNS, "wrote");
        clean_text(out, t->measured->folder);
        buf_printf(out, "/   %zu files of data\n  %-*s", report_simulation_file_count(), LABEL_COLUMNS, "next");
        clean_argument(out, str_from(style->program ? style->program : "locksim"));
        buf_addz(out, " plot ");
        clean_argument(out, t->measured->folder);
        buf_byte(out, '\n');
    }
}

void report_trace_text(const traced_log *t, const report_style *style, buf *out)
{
    size_t from = out->n;
    add_all(t, style, out);
    fold_lines(out, from, style->width);
}

/* ---- JSON ---- */

static json_t *finding_json(const traced_log *t, const finding *f)
{
    json_t *o = json_object();
    json_object_set_new(o, "kind", json_string(found_name(f->kind)));
    json_object_set_new(o, "code", f->kind == FOUND_VIOLATION ? json_string(property_describe(f->property)->code)
                        : json_null());
    json_object_set_new(o, "property", f->kind == FOUND_VIOLATION ? json_string(property_describe(f->property)->name)
                        : json_null());
    json_object_set_new(o, "lock", f->lock.n ? json_text(f->lock) : json_null());
    json_object_set_new(o, "time_ms", json_real((double)f->at_us / 1000.0));
    json_object_set_new(o, "since_begin_ms", json_real((double)(f->at_us - t->counts.begin_us) / 1000.0));
    json_object_set_new(o, "line", json_integer((json_int_t)f->line));
    json_object_set_new(o, "since_line", f->since ? json_integer((json_int_t)f->since) : json_null());
    json_object_set_new(o, "text", json_text(f->text));
    json_object_set_new(o, "why", json_text(f->why));
    return o;
}

static json_t *order_json(const order_counts *c)
{
    const struct { const char *name; uint64_t n; } rows[] = {
        { "requests", c->requests }, { "without_answer", c->unknown }, { "without_answer_executed", c->done },
        { "unexplained", c->unexplained }, { "given_up", c->given_up }, { "as_answered", c->as_sent },
        { "executions", c->tried },
    };
    json_t *o = json_object();
    for (size_t i = 0; i < COUNT(rows); i++)
        json_object_set_new(o, rows[i].name, json_integer((json_int_t)rows[i].n));
    json_object_set_new(o, "unexplained_line", c->unexplained ? json_integer((json_int_t)c->unexplained_line)
                        : json_null());
    return o;
}

static json_t *conform_json(const traced_log *t)
{
    const conform_counts *c = &t->conform;
    const struct { const char *name; uint64_t n; } rows[] = {
        { "owners", c->owners }, { "requests", c->requests }, { "conforming", c->conforming },
        { "strange", c->strange },
        { "undecided", c->undecided }, { "passed_over", c->passed_over },
    };
    json_t *o = json_object();
    json_object_set_new(o, "driver", json_text(t->driver));
    for (size_t i = 0; i < COUNT(rows); i++)
        json_object_set_new(o, rows[i].name, json_integer((json_int_t)rows[i].n));
    return o;
}

static json_t *counts_json(const traced_log *t)
{
    const trace_counts *c = &t->counts;
    const struct { const char *name; uint64_t n; } rows[] = {
        { "lines", t->read.lines }, { "records", t->read.records }, { "bad_lines", t->read.bad },
        { "lua_lines", t->read.lua },
        { "requests", c->requests }, { "passed_over", c->passed_over }, { "scripts", c->scripts },
        { "compared_scripts", c->compared },
        { "compared_answers", c->answers }, { "differences", c->differed }, { "unknown_scripts", c->unknown },
        { "unsure_requests", c->unsure },
        { "grants", c->grants }, { "releases", c->releases }, { "lapses", c->lapses }, { "renewals", c->renewals },
        { "refusals", c->refusals },
        { "held_at_end", c->held }, { "waiting_at_end", c->waiting }, { "backwards", c->backwards },
    };
    json_t *o = json_object();
    for (size_t i = 0; i < COUNT(rows); i++)
        json_object_set_new(o, rows[i].name, json_integer((json_int_t)rows[i].n));
    return o;
}

void report_trace_json(const traced_log *t, buf *out)
{
    json_t *document = json_object(), *o = json_object(), *families = json_array(), *list = json_array(),
                       *bads = json_array();
    for (size_t i = 0; i < t->family_count; i++)
        json_array_append_new(families, json_text(t->families[i]));
    for (size_t i = 0; i < t->finding_count; i++)
        json_array_append_new(list, finding_json(t, &t->findings[i]));
    for (size_t i = 0; i < t->bad_count; i++) {
        json_t *b = json_object();
        json_object_set_new(b, "line", json_integer((json_int_t)t->bads[i].line));
        json_object_set_new(b, "why", json_string(t->bads[i].why));
        json_object_set_new(b, "text", json_text(t->bads[i].text));
        json_array_append_new(bads, b);
    }
    json_object_set_new(o, "log", json_text(t->path));
    json_object_set_new(o, "verdict", json_string(traced_verdict(t)));
    json_object_set_new(o, "locks", families);
    json_object_set_new(o, "begin_ms", t->read.records ? json_real((double)t->counts.begin_us / 1000.0) : json_null());
    json_object_set_new(o, "end_ms", t->read.records ? json_real((double)t->counts.end_us / 1000.0) : json_null());
    json_object_set_new(o, "violations", json_integer((json_int_t)violations(t)));
    json_object_set_new(o, "warnings", json_integer((json_int_t)warnings(t)));
    json_object_set_new(o, "findings", list);
    json_object_set_new(o, "bad", bads);
    json_object_set_new(o, "last_line_cut", json_boolean(t->cut));
    json_object_set_new(o, "counts", counts_json(t));
    json_object_set_new(o, "order", t->order ? order_json(t->order) : json_null());
    json_object_set_new(o, "conform", t->driver.n ? conform_json(t) : json_null());
    json_object_set_new(o, "not_judged", t->order ? json_array() : json_pack("[s]", "LK002"));
    json_object_set_new(o, "statistics", t->read.records ? simulation_numbers_json(t->measured) : json_null());
    json_object_set_new(document, "locksim", json_integer(1));
    json_object_set_new(document, "exit_status", json_integer(traced_status(t)));
    json_object_set_new(document, "trace", o);
    json_document_add(out, document);
}
