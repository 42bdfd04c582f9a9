/* sequence_shapes.c - see sequence_shapes.h; and the colours, which tell nothing that shape and place do not tell,
 * too. */
#include "report/sequence_shapes.h"

#include <math.h>

#include "report/clean.h"
#include "report/sequence.h"
#include "report/sequence_layout.h"

void shape_text(buf *out, arena *a, int x, int y, const char *kind, str text, size_t columns_max)
{
    str clean = clean_copy(a, text);
    buf_printf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", kind, x, y);
    clean_xml(out, clean_cut(clean, columns_max));
    if (clean_width(clean) > columns_max)
        buf_addz(out, "\xe2\x80\xa6");
    buf_addz(out, "</text>");
}

void shape_bolt(buf *out, int x, int y)
{
    buf_printf(out, "<path class=\"bolt\" d=\"M%d %dl8 -14h-6l3 -8h-8l-4 13h6z\" transform=\"translate(0 6)\"/>", x - 3,
               y + 5);
}

void shape_arrow(buf *out, const char *kind, const shape_point *at, size_t count, shape_ending ending)
{
    const shape_point *from = &at[count - 2], *to = &at[count - 1];
    buf_printf(out, "<path class=\"%s%s\" d=\"M%d %d", kind, ending == SHAPE_FADES ? " fades" : "", at[0].x, at[0].y);
    for (size_t i = 1; i < count; i++)
        buf_printf(out, "L%d %d", at[i].x, at[i].y);
    buf_addz(out, "\"/>");
    double dx = to->x - from->x, dy = to->y - from->y, length = sqrt(dx * dx + dy * dy);
    if (ending == SHAPE_CROSS)
        buf_printf(out, "<path class=\"cross\" d=\"M%d %dl10 10m0 -10l-10 10\"/>", to->x - 5, to->y - 5);
    if (ending == SHAPE_CROSS || ending == SHAPE_FADES || length < 1)
        return;
    double ux = dx / length, uy = dy / length;
    buf_printf(out, "<path class=\"%s %s\" d=\"M%d %dL%.1f %.1fL%.1f %.1fz\"/>",
               ending == SHAPE_HOLLOW ? "hollow" : "tip", kind, to->x, to->y,
               to->x - 9 * ux - 4 * uy, to->y - 9 * uy + 4 * ux, to->x - 9 * ux + 4 * uy, to->y - 9 * uy - 4 * ux);
}

/* Where each stands below a picture: x, and its line. */
static const struct { int x, line; const char *shape, *text; } legend[] = {
    { 0, 0, "<rect class=\"holds c0\" x=\"8\" y=\"-10\" width=\"7\" height=\"13\" rx=\"2\"/>", "believes to hold" },
    { 0, 1, "<rect class=\"waits c0\" x=\"8\" y=\"-10\" width=\"7\" height=\"13\" rx=\"2\"/>", "waits" },
    { 165, 0, "<rect class=\"held c0\" x=\"8\" y=\"-10\" width=\"7\" height=\"13\" rx=\"2\"/>",
      "held, says the server" },
    { 165, 1, "<path class=\"paused\" d=\"M11 -11V4\"/>", "paused, stalled" },
    { 372, 0, "<path class=\"request\" d=\"M0 -4H17\"/><path class=\"tip request\" d=\"M24 -4l-9 -4v8z\"/>",
      "request" },
    { 372, 1, "<path class=\"answer\" d=\"M0 -4H17\"/><path class=\"tip answer\" d=\"M24 -4l-9 -4v8z\"/>",
      "answer" },
    { 490, 0, "<path class=\"message\" d=\"M0 -4H17\"/><path class=\"tip message\" d=\"M24 -4l-9 -4v8z\"/>",
      "pub/sub message" },
    { 490, 1, "<path class=\"answer\" d=\"M0 -4H17\"/><path class=\"hollow answer\" d=\"M24 -4l-9 -4v8z\"/>",
      "no client waits for it" },
    { 690, 0, "<path class=\"request\" d=\"M0 -4H14\"/><path class=\"cross\" d=\"M12 -9l10 10m0 -10l-10 10\"/>",
      "lost" },
    { 690, 1, "<path class=\"bolt\" d=\"M9 3l8 -14h-6l3 -8h-8l-4 13h6z\" transform=\"translate(1 4) scale(.8)\"/>",
      "fault" },
    { 0, 2, "<path class=\"guilt\" d=\"M11 -12v16\"/>", "blamed: without this fault the same schedule passes" },
    { 430, 2, "<g class=\"decides\"><path class=\"guilt\" d=\"M11 -12v16\"/></g>",
      "decides: without this step there it passes" },
};

void shape_legend(buf *out)
{
    for (size_t i = 0; i < COUNT(legend); i++)
        buf_printf(out, "<g transform=\"translate(%d %d)\">%s<text class=\"note\" x=\"32\" y=\"0\">%s</text></g>\n",
                   legend[i].x, 16 + 20 * legend[i].line, legend[i].shape, legend[i].text);
}

void sequence_legend(buf *out)
{
    buf_addz(out, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < COUNT(legend); i++)
        buf_printf(out, "<li><svg class=\"seq\" aria-hidden=\"true\" width=\"26\" height=\"20\" "
                   "viewBox=\"0 -14 26 20\">%s</svg> %s</li>\n", legend[i].shape, legend[i].text);
    buf_addz(out, "</ul>\n");
}

/* Shades of each client, light and dark; all stand out from the paper by 3:1 at least, and differ in lightness, too. */
static const char *const shades[SEQUENCE_COLOURS][2] = {
    { "#2563c9", "#7db0ff" }, { "#b85c00", "#ffb066" }, { "#0f7b5f", "#5fd6ae" }, { "#7a45c4", "#c5a3ff" },
    { "#b8326f", "#ff9cc6" }, { "#0d7489", "#6fd3e6" }, { "#6d6400", "#d8cc5a" }, { "#5b6470", "#b6c0cc" },
};

static void add_theme(buf *out, int dark)
{
    static const struct { const char *rule, *light, *dark; } rules[] = {
        { ".seq .paper{fill:%s}\n", "#fff", "#16191d" },
        { ".seq text{fill:%s}\n", "#1d232a", "#e4e8ec" },
        { ".seq .word,.seq .name,.seq .note{stroke:%s}\n", "#fff", "#16191d" },
        { ".seq .time,.seq .number,.seq .note,.seq .passed{fill:%s}\n", "#57606b", "#a4aeb9" },
        { ".seq .fault,.seq .verdict{fill:%s}\n", "#b42318", "#ff9a8d" },
        { ".seq .bolt,.seq .cross,.seq .broke .mark{fill:%s}\n", "#d92d20", "#ff7a6b" },
        { ".seq .cross{stroke:%s}\n", "#d92d20", "#ff7a6b" },
        { ".seq .life{stroke:%s}\n", "#c2c9d1", "#454d57" },
        { ".seq .passes{stroke:%s}\n", "#d5dae0", "#3a424b" },
        { ".seq .gap{fill:%s}\n", "#f1f3f5", "#22272d" },
        { ".seq .head,.seq .server{fill:%s}\n", "#f1f3f5", "#22272d" },
        { ".seq .head,.seq .server{stroke:%s}\n", "#c2c9d1", "#454d57" },
        { ".seq .dot{fill:%s}\n", "#57606b", "#a4aeb9" },
        { ".seq .blamed .band{fill:%s}\n", "#fdf3dc", "#372c14" },
        { ".seq .decides .band{fill:%s}\n", "#eef0fb", "#262a44" },
        { ".seq .broke .band{fill:%s}\n", "#fdecea", "#3a1e1c" },
        { ".seq text.guilt{fill:%s}\n", "#7d5200", "#f0c36d" },
        { ".seq path.guilt{stroke:%s}\n", "#b87900", "#f0c36d" },
        { ".seq .decides text.guilt{fill:%s}\n", "#4338a8", "#b9b4ff" },
        { ".seq .decides path.guilt{stroke:%s}\n", "#4338a8", "#b9b4ff" },
        { ".seq .now .band{fill:%s}\n", "#e8f0fe", "#1f2f4a" },
        { ".seq .request{stroke:%s}\n", "#3c4650", "#c6ced6" },
        { ".seq .answer{stroke:%s}\n", "#3c4650", "#c6ced6" },
        { ".seq .message{stroke:%s}\n", "#7a45c4", "#c5a3ff" },
        { ".seq .tip.request,.seq .tip.answer{fill:%s}\n", "#3c4650", "#c6ced6" },
        { ".seq .tip.message{fill:%s}\n", "#7a45c4", "#c5a3ff" },
        { ".seq .hollow{fill:%s}\n", "#fff", "#16191d" },
        { ".seq .paused{stroke:%s}\n", "#d92d20", "#ff7a6b" },
        { ".seq .dead{stroke:%s}\n", "#fff", "#16191d" },
        { ".seq .c8{fill:%s}\n", "#57606b", "#a4aeb9" },
    };
    for (size_t i = 0; i < COUNT(rules); i++) {
        const char *colour = dark ? rules[i].dark : rules[i].light;
        for (const char *p = rules[i].rule; *p; p++)
            if (p[0] == '%' && p[1] == 's') {
                buf_addz(out, colour);
                p++;
            } else
                buf_byte(out, *p);
    }
    for (size_t c = 0; c < SEQUENCE_COLOURS; c++)
        buf_printf(out, ".seq .c%zu{fill:%s;stroke:%s}\n", c, shades[c][dark], shades[c][dark]);
}

void sequence_style(buf *out)
{
    buf_addz(out,
             ".seq text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans "
             "Mono\",monospace;white-space:pre;unicode-bidi:plaintext}\n"
             ".seq .word,.seq .name,.seq .note{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}\n"
             ".seq text.name{font-size:13px;font-weight:600;stroke:none}\n.seq .mid{text-anchor:middle}\n.seq "
             ".number{text-anchor:end}\n"
             ".seq text.title{font-size:14px;font-weight:600}\n.seq text.verdict,.seq text.fault{font-weight:600}\n"
             ".seq .band{fill:transparent}\n.seq path{fill:none}\n.seq .life{stroke-width:1}\n.seq "
             ".passes{stroke-dasharray:2 4}\n"
             ".seq .request,.seq .answer,.seq .message{stroke-width:1.4}\n.seq "
             "path.answer:not(.tip):not(.hollow){stroke-dasharray:5 3}\n"
             ".seq path.message:not(.tip){stroke-dasharray:1.5 3;stroke-width:2;stroke-linecap:round}\n.seq "
             ".fades{opacity:.5}\n"
             ".seq .cross{stroke-width:2.5;stroke-linecap:round}\n.seq .waits{fill-opacity:.12;stroke-dasharray:2 2}\n"
             ".seq .held{fill-opacity:.45}\n.seq .paused{stroke-width:5;stroke-dasharray:2 3}\n.seq "
             ".dead{stroke-width:3}\n"
             ".seq .c8{fill-opacity:.45}\n.seq text.op{font-size:10px}\n.seq path.guilt{stroke-width:4}\n"
             ".seq .decides path.guilt{stroke-dasharray:5 3}\n"
             ".seq text.guilt{font-weight:600}\n");
    add_theme(out, 0);
    buf_addz(out, "@media (prefers-color-scheme:dark){\n");
    add_theme(out, 1);
    buf_addz(out, "}\n");
}
