/* size.c - see size.h. */
#include "base/size.h"

#include <inttypes.h>

static bool unit_of(char c, unsigned *shift)
{
    static const char units[] = "KkMmGg";
    for (unsigned i = 0; i + 1 < sizeof units; i++)
        if (units[i] == c) {
            *shift = (i / 2 + 1) * 10;
            return true;
        }
    return false;
}

bool size_parse(str s, uint64_t *bytes)
{
    unsigned shift = 0;
    if (s.n > 0 && unit_of(s.p[s.n - 1], &shift))
        s.n--;
    uint64_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9' || n > (uint64_t)INT64_MAX / 10 - 1)
            return false;
        n = n * 10 + (uint64_t)(s.p[i] - '0');
    }
    if (s.n == 0 || n == 0 || n > (uint64_t)INT64_MAX >> shift)
        return false;
    *bytes = n << shift;
    return true;
}

void size_print(uint64_t bytes, buf *out)
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
    if (bytes < 1024) {
        buf_printf(out, "%" PRIu64 " B", bytes);
        return;
    }
    double n = (double)bytes / 1024;
    size_t u = 0;
    for (; n >= 1023.95 && u + 1 < COUNT(units); u++)
        n /= 1024;
    buf_printf(out, "%.1f %s", n, units[u]);
}
