/* against_words.c - which words of a driver correspond to which of the program: see against.h. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "drive/against.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "A:1" (me.id) or "A#0:" (me:unique) stands in it. */
static bool has_id(str word, str client)
{
    for (size_t i = 0; i + client.n + 1 < word.n; i++) {
        char mark = word.p[i + client.n], next = word.p[i + client.n + 1];
        if (memcmp(word.p + i, client.p, client.n) == 0 && (mark == ':' || mark == '#') && is_digit(next))
            return true;
    }
    return false;
}

/* The longest known word at this place; NULL: none. "token:1" is no part of "token:10". */
static const against_pair *pair_at(const against_pairs *known, str text, size_t at)
{
    const against_pair *best = NULL;
    for (size_t i = 0; i < known->count; i++) {
        const against_pair *p = &known->at[i];
        size_t end = at + p->ours.n;
        bool stands = str_starts(str_slice(text, at, text.n), p->ours) &&
                      (end == text.n || !is_digit(text.p[end]) || !is_digit(text.p[end - 1]));
        if (stands && (!best || p->ours.n > best->ours.n))
            best = p;
    }
    return best;
}

str against_in_their_words(const against_pairs *known, str ours)
{
    buf b = { 0 };
    for (size_t i = 0; i < ours.n;) {
        const against_pair *p = pair_at(known, ours, i);
        if (p)
            buf_add(&b, p->theirs);
        else
            buf_byte(&b, ours.p[i]);
        i += p ? p->ours.n : 1;
    }
    str text = arena_str(known->a, buf_str(&b));
    buf_free(&b);
    return text;
}

static bool is_taken(const against_pairs *known, str theirs, str ours)
{
    for (size_t i = 0; i < known->count; i++)
        if (str_eq(known->at[i].theirs, theirs) || str_eq(known->at[i].ours, ours))
            return true;
    return false;
}

bool against_same_word(against_pairs *known, str theirs, str ours, str client)
{
    str known_part = against_in_their_words(known, ours);
    if (str_eq(theirs, ours) || str_eq(theirs, known_part))
        return true;
    if (!has_id(known_part, client) || is_taken(known, theirs, ours))
        return false;
    against_pair *grown = ARENA_ARRAY(known->a, against_pair, known->count + 1);
    if (known->count)
        memcpy(grown, known->at, known->count * sizeof *grown);
    grown[known->count] = (against_pair){ .theirs = theirs, .ours = ours };
    known->at = grown;
    known->count++;
    return true;
}
