/* simulate.c - `locksim simulate`: workloads to measurements, and the data of their pictures. */
#include "cli/cli.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/report_plots.h"
#include "host/ranks.h"
#include "report/fold.h"

typedef struct {
    const options *o;
    arena *memory;
    report_style style;
    simulated *told;               /* the published results */
    size_t published, left_out;    /* left_out: not begun when Ctrl-C came */
    int status;
    bool deaf;                     /* stdout has no reader any more */
    bool refused;                  /* the data could not be written, and that was said */
} simulation;

/* Writes all files or, after an error, as many as possible; the error is reported once. */
static void write_data(simulation *s, simulated *t)
{
    err e = { 0 };
    if (!s->refused && !replicate_write(s->memory, s->o, t, &e)) {
        s->refused = true;
        s->status = status_worse(s->status, print_complaint(&e));
    }
    err_clear(&e);
}

static bool publish(void *context, replicated *r)
{
    simulation *s = context;
    simulated *t = &r->told;
    s->status = status_worse(s->status, replicate_status(t));
    if (t->ending == SIMULATED_INTERRUPTED && t->runs->done == 0) {
        s->left_out++;
        return true;
    }
    bool hurries = ranks_joined() && progress_interrupted();      /* files would take longer than mpirun waits */
    if (t->ending != SIMULATED_FAILED && t->runs->done > 0 && !hurries)
        write_data(s, t);
    s->told[s->published++] = *t;
    if (s->o->format != FORMAT_TEXT) {
        if (t->ending == SIMULATED_FAILED)
            print_complaint(t->error);        /* the document comes at the end; a person should not have to wait */
        return true;
    }
    buf b = { 0 };
    report_simulation_text(t, &s->style, &b);
    fold_lines(&b, 0, print_width(STDOUT_FILENO));
    s->deaf = !print_out(&b);
    buf_free(&b);
    return !s->deaf;
}

/* One page of all that was measured, with the plots that gnuplot draws of it. */
static void add_page(simulation *s, buf *out)
{
    buf told = { 0 };
    report_plots drawn = { .told = s->told, .count = s->published };
    report_plots_draw(&drawn, s->memory, s->o);
    s->status = status_worse(s->status, drawn.status);
    options_tell(s->o, &told);
    page p = { .options = told.n ? str_slice(buf_str(&told), 1, told.n) : S(""), .program = s->o->program,
               .simulations = drawn.told, .simulation_count = drawn.count, .plots = drawn.plots,
               .plot_count = drawn.plot_count, .plots_note = drawn.note };
    page_html(&p, out);
    buf_free(&told);
}

/* The comparison, and the command that draws it; or the document. */
static void print_end(simulation *s)
{
    buf b = { 0 };
    if (s->o->format == FORMAT_JSON) {
        report_simulation_json(s->told, s->published, s->status, &b);
    } else if (s->o->format == SIMULATE_HTML) {
        add_page(s, &b);
    } else {
        report_simulation_comparison(s->told, s->published, &s->style, &b);
        if (s->left_out)
            buf_printf(&b, "interrupted: %zu of %zu workloads were not simulated\n", s->left_out,
                       s->left_out + s->published);
    }
    if (!print_out(&b))
        s->status = status_worse(s->status, STATUS_IO);
    buf_free(&b);
}

int simulate_main(const options *o)
{
    arena *a = arena_new();
    simulation s = { .o = o, .memory = a,
                     .style = { .program = o->program,
                                .color = o->format == FORMAT_TEXT && print_wants_color(o->color) } };
    replicate_list list = replicate_collect(a, o);
    s.told = ARENA_ARRAY(a, simulated, list.count + 1);
    if (o->format == FORMAT_TEXT)
        print_options(o);
    replicate_run(&list, a, o, publish, &s);
    if (s.deaf)
        s.status = STATUS_IO;
    else if (ranks_own() == 0)
        print_end(&s);
    if (ranks_joined() && progress_interrupted())
        ranks_close(true, s.status);               /* some run may still go on */
    replicate_free(&list);
    arena_free(a);
    return s.status;
}
