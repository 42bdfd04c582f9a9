/* calls.c - reading how a library uses its scripts, and drawing calls from that; see calls.h. */
#include "calls.h"

#include <inttypes.h>
#include <string.h>

#include "base/words.h"
#include "host/files.h"

/* ---- reading ---- */

typedef struct {
    arena *a;
    str path;
    library_calls *out;
    err *e;
} reading;

static bool read_keys(reading *r, const str *words, size_t n, int line)
{
    if (n > CALL_WORDS_MAX || r->out->keys_n > 0)
        return err_at(r->e, ERR_USAGE, r->path, line, 0, "one line of keys, with at most %d of them", CALL_WORDS_MAX);
    memcpy(r->out->keys, words, n * sizeof *words);
    r->out->keys_n = n;
    return true;
}

static bool is_key(const library_calls *l, str word)
{
    for (size_t i = 0; i < l->keys_n; i++)
        if (str_eq(l->keys[i], word))
            return true;
    return false;
}

static bool read_script(reading *r, call_form *f, const str *words, size_t n, int line)
{
    if (n == 0)
        return err_at(r->e, ERR_USAGE, r->path, line, 0, "a script's name is missing");
    f->name = words[0];
    if (!files_read(r->a, files_join(r->a, files_folder(r->path), words[0]), &f->body, r->e))
        return false;
    size_t i = 1;
    for (; i < n && !str_eq(words[i], S(":")); i++) {
        if (!is_key(r->out, words[i]))
            return err_at(r->e, ERR_USAGE, r->path, line, 0, "'%.*s' is none of the keys above", STR_ARG(words[i]));
        f->keys[f->keys_n++] = words[i];
    }
    for (i++; i < n; i++)
        f->args[f->args_n++] = words[i];
    return true;
}

static bool read_line(reading *r, str text, int line)
{
    str *words;
    size_t n;
    if (!words_split(r->a, str_slice(text, 0, str_find(text, '#', 0)), &words, NULL, &n))
        return err_at(r->e, ERR_USAGE, r->path, line, 0, "a quote is not closed");
    if (n == 0)
        return true;
    if (n > CALL_WORDS_MAX || r->out->calls_n == CALLS_MAX)
        return err_at(r->e, ERR_USAGE, r->path, line, 0, "too long: %d words and %d calls at most", CALL_WORDS_MAX,
                      CALLS_MAX);
    if (str_eq(words[0], S("keys")))
        return read_keys(r, words + 1, n - 1, line);
    call_form *f = &r->out->calls[r->out->calls_n++];
    if (str_eq(words[0], S("script")))
        return read_script(r, f, words + 1, n - 1, line);
    if (!str_eq(words[0], S("command")) || n < 2)
        return err_at(r->e, ERR_USAGE, r->path, line, 0, "'keys', 'script' or 'command' with what belongs to it is "
                      "expected");
    f->name = words[1];
    f->args_n = n - 1;
    memcpy(f->args, words + 1, f->args_n * sizeof *words);
    return true;
}

bool calls_read(arena *a, str path, library_calls *out, err *e)
{
    reading r = { .a = a, .path = path, .out = out, .e = e };
    str text;
    *out = (library_calls){ 0 };
    if (!files_read(a, path, &text, e))
        return false;
    int line = 1;
    for (size_t at = 0; at < text.n; line++) {
        size_t end = str_find(text, '\n', at);
        if (!read_line(&r, str_slice(text, at, end), line))
            return false;
        at = end + 1;
    }
    if (out->keys_n == 0 || out->calls_n == 0)
        return err_at(e, ERR_USAGE, path, 0, 0, "no keys, or no calls");
    return true;
}

/* ---- drawing ---- */

static const int64_t ttls_ms[] = { 0, 1, 2, 100, 1000, 1500, 30000, 60000 };
static const char *const ttl_words[] = { "0", "1", "2", "100", "1000", "1500", "30000", "60000" };
static const char *const ids[] = { "a:1", "a:2", "b:1" };
static const char *const counts[] = { "0", "1", "1", "2", "3", "5", "10" };

static str pick(rng *r, const char *const *of, size_t n) { return str_from(of[rng_below(r, n)]); }

str calls_draw_ttl(rng *r) { return pick(r, ttl_words, COUNT(ttl_words)); }

/* An array of five values as cmsgpack packs it: an owner, an instant, a small number, nil, true. */
static str packed(arena *a, rng *r, int64_t now_ms)
{
    buf b = { 0 };
    buf_addz(&b, "\x95\xa3");
    buf_add(&b, pick(r, ids, COUNT(ids)));
    buf_byte(&b, '\xcf');
    for (int shift = 56; shift >= 0; shift -= 8)
        buf_byte(&b, (char)((uint64_t)now_ms >> shift));
    buf_byte(&b, (char)rng_below(r, 6));
    buf_addz(&b, "\xc0\xc3");
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

static str one_of(rng *r, str word)
{
    size_t n = 1, at = 0;
    for (size_t i = 0; i < word.n; i++)
        n += word.p[i] == '|';
    for (size_t skip = rng_below(r, n); skip > 0; skip--)
        at = str_find(word, '|', at) + 1;
    return str_slice(word, at, str_find(word, '|', at));
}

static str draw_word(arena *a, rng *r, str word, int64_t now_ms)
{
    word = one_of(r, word);
    int64_t ttl_ms = ttls_ms[rng_below(r, COUNT(ttls_ms))];
    if (str_eq(word, S("ID")))
        return pick(r, ids, COUNT(ids));
    if (str_eq(word, S("COUNT")))
        return pick(r, counts, COUNT(counts));
    if (str_eq(word, S("TTL")))
        return arena_printf(a, "%" PRId64, ttl_ms);
    if (str_eq(word, S("NOW")))
        return arena_printf(a, "%" PRId64, now_ms);
    if (str_eq(word, S("AGO")))
        return arena_printf(a, "%" PRId64, now_ms - ttl_ms);
    if (str_eq(word, S("LATER")))
        return arena_printf(a, "%" PRId64, now_ms + ttl_ms);
    if (str_eq(word, S("SECONDS")))
        return arena_printf(a, "%" PRId64 ".%03d", now_ms / 1000, (int)(now_ms % 1000));
    if (str_eq(word, S("PACKED")))
        return packed(a, r, now_ms);
    return word;
}

/* Adds one key, or of `name*` one or two of name:1 and name:2 in either order. */
static size_t draw_key(arena *a, rng *r, str key, str *out)
{
    if (!str_ends(key, S("*"))) {
        out[0] = key;
        return 1;
    }
    int first = 1 + (int)rng_below(r, 2);
    for (int i = 0; i < 2; i++)
        out[i] = arena_printf(a, "%.*s:%d", (int)key.n - 1, key.p, i == 0 ? first : 3 - first);
    return 1 + rng_below(r, 2);
}

str calls_draw_key(arena *a, rng *r, const library_calls *l)
{
    str keys[2];
    draw_key(a, r, l->keys[rng_below(r, l->keys_n)], keys);
    return keys[0];
}

size_t calls_draw(arena *a, rng *r, const call_form *f, int64_t now_ms, str *argv)
{
    size_t n = 0;
    if (f->body.n > 0) {
        size_t keys_n = 0;
        for (size_t i = 0; i < f->keys_n && keys_n + 3 < ARGV_MAX - CALL_WORDS_MAX; i++)
            keys_n += draw_key(a, r, f->keys[i], argv + 1 + keys_n);
        argv[0] = arena_printf(a, "%zu", keys_n);
        n = 1 + keys_n;
    }
    for (size_t i = 0; i < f->args_n; i++)
        argv[n++] = draw_word(a, r, f->args[i], now_ms);
    return n;
}
