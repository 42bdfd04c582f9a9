/* drive_clocks.c - see drive_clocks.h. */
#include "cli/drive_clocks.h"

enum { SKEW_MAX_MS = 86400000, DRIFT_MIN = 10, DRIFT_MAX = 1000 };

/* "+250"; -1: it is no number with a sign, or it is too large. */
static int64_t signed_number(str text, int *sign)
{
    int64_t n = 0;
    if (text.n < 2 || text.n > 10 || (text.p[0] != '+' && text.p[0] != '-'))
        return -1;
    *sign = text.p[0] == '-' ? -1 : 1;
    for (size_t i = 1; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return -1;
        n = n * 10 + (text.p[i] - '0');
    }
    return n;
}

static bool take_one(str text, drive_client *c)
{
    int sign = 1, ignored;
    size_t slash = str_find(text, '/', 0);
    int64_t n = signed_number(str_slice(text, 0, slash), &sign);
    if (slash == text.n) {
        c->skew_ms = sign * n;
        return n >= 0 && n <= SKEW_MAX_MS;
    }
    char room[12] = "+";
    str every = str_slice(text, slash + 1, text.n);
    if (n != 1 || every.n > 9)
        return false;
    memcpy(room + 1, every.p, every.n);
    int64_t every_ms = signed_number((str){ .p = room, .n = every.n + 1 }, &ignored);
    c->drift = sign * every_ms;
    return every_ms >= DRIFT_MIN && every_ms <= DRIFT_MAX;
}

bool clocks_take(str text, drive_client *clients, size_t count, err *e)
{
    for (size_t from = 0; from <= text.n;) {
        size_t end = str_find(text, ',', from), who = 0;
        str item = str_slice(text, from, end);
        size_t equals = str_find(item, '=', 0);
        while (who < count && !str_eq(clients[who].name, str_slice(item, 0, equals)))
            who++;
        if (equals == item.n || who == count || !take_one(str_slice(item, equals + 1, item.n), &clients[who])) {
            err_set(e, ERR_USAGE, "--clock: '%.*s' is no client's clock", STR_ARG(str_slice(item, 0, 60)));
            return err_hint(e, "A=+250 is 250 ms ahead (a day at most), A=-1/50 loses a millisecond every 50 (1/10 to "
                            "1/1000); A must be a client");
        }
        from = end + 1;
    }
    return true;
}
