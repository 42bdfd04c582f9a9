/* script_answers.c - see answers.h. */
#include "script/answers.h"

#include <stdlib.h>

#include "base/lua_tokens.h"

static bool ends_block(const token *t)
{
    return token_reads(t, "end") || token_reads(t, "else") || token_reads(t, "elseif") || token_reads(t, "until") ||
           token_reads(t, ";");
}

static void add_number(answers *a, int64_t n)
{
    for (size_t i = 0; i < a->number_count; i++)
        if (a->numbers[i] == n)
            return;
    a->known = a->known && a->number_count < ANSWERS_NUMBERS_MAX;
    if (a->known)
        a->numbers[a->number_count++] = n;
}

/* As Redis cuts it: to a whole number. */
static void add_text_number(answers *a, str text, bool negative)
{
    enum { EXACT = 1 << 30 };
    char digits[32];
    size_t n = text.n < sizeof digits - 1 ? text.n : sizeof digits - 1;
    for (size_t i = 0; i < n; i++)
        digits[i] = text.p[i];
    digits[n] = '\0';
    double value = strtod(digits, NULL);
    a->known = a->known && text.n == n && value < EXACT;
    if (a->known)
        add_number(a, (int64_t)(negative ? -value : value));
}

/* From behind { to its }. A table with a field may be a status or an error. false: the text ends first. */
static bool skip_table(tokens *x, answers *a)
{
    token t;
    for (int depth = 1; depth > 0;) {
        if (tokens_next(x, &t) != TOKENS_ONE)
            return false;
        a->known = a->known && !(depth == 1 && token_reads(&t, "=")) && !token_reads(&t, "function");
        depth += token_reads(&t, "{") - token_reads(&t, "}");
    }
    a->array = true;
    return true;
}

/* The expressions after `return`, up to the end of the block. *last: up to the end of the text. */
static void read_return(tokens *x, answers *a, bool *last)
{
    token t;
    *last = tokens_next(x, &t) != TOKENS_ONE;
    if (*last || ends_block(&t)) {
        a->nil = true;
        return;
    }
    bool negative = token_reads(&t, "-");
    if (negative && tokens_next(x, &t) != TOKENS_ONE)
        return;
    if (t.kind == TOKEN_NUMBER)
        add_text_number(a, t.text, negative);
    else if (negative)
        a->known = false;
    else if (t.kind == TOKEN_STRING)
        a->text = true;
    else if (token_reads(&t, "nil") || token_reads(&t, "false"))
        a->nil = true;
    else if (token_reads(&t, "true"))
        add_number(a, 1);
    else if (!token_reads(&t, "{") || !skip_table(x, a))
        a->known = false;
    *last = tokens_next(x, &t) != TOKENS_ONE;
    a->known = a->known && (*last || ends_block(&t));
}

answers script_answers(str text)
{
    answers a = { .known = true };
    tokens x = { .text = text, .line = 1 };
    if (str_starts(text, S("#!")))
        x.at = str_find(text, '\n', 0);
    bool last = false;
    tokens_next_result next;
    token t;
    while (a.known && (next = tokens_next(&x, &t)) == TOKENS_ONE) {
        last = false;
        if (token_reads(&t, "return"))
            read_return(&x, &a, &last);
    }
    a.known = a.known && next == TOKENS_END;
    a.nil = a.nil || !last;                        /* it may come to its end without a return */
    return a;
}
