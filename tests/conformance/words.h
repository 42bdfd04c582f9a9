/* words.h - random commands: a form of forms.h, filled with words, now and then spoilt, now and then called from a
 * script. The same state of the generator gives the same command. */
#ifndef LOCKSIM_TESTS_WORDS_H
#define LOCKSIM_TESTS_WORDS_H

#include "base/arena.h"
#include "base/rng.h"
#include "step.h"
#include "pair.h"

/* A literal in a static table: S() is no constant expression. */
#define W(literal) { literal, sizeof(literal) - 1 }

enum { FORMS_MAX = 400 };

typedef struct {
    rng random;
    arena *a;                          /* of the words */
    int64_t now_ms;
    unsigned percent_scripted;
    bool no_tables;                    /* no value so long that a hash becomes a hash table */
    bool left_out[FORMS_MAX];          /* forms of commands that our server does not have */
    str scripts[6];                    /* that the history has sent */
    size_t scripts_sent, commands;     /* of the history so far */
    size_t lock_family;                /* whose scripts it calls */
    char family;                       /* of the form that is being filled */
    step *s;
} generator;

/* A word of one of the kinds of forms.h. */
str words_of_kind(generator *g, char kind);
bool chance(rng *g, unsigned percent);
str pick(rng *g, const str *words, size_t n);
#define PICK(g, words) pick((g), (words), COUNT(words))

/* Leaves out what our server does not have; `left_out` gets the names of these commands among the families, each after
 * a blank. */
void words_choose_forms(generator *g, pair *t, const char *families, buf *left_out);
/* A command of this family in s, at g->now_ms; advance_ms and conn are the caller's. */
void words_command(generator *g, char family, step *s);
/* The same, and never from within a script. */
void words_plain_command(generator *g, char family, step *s);

#endif
