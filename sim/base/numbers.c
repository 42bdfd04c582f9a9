/* numbers.c - see numbers.h. */
#include "base/numbers.h"

#include <stdlib.h>

int numbers_by_u32(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static int by_i64(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

size_t numbers_set_u32(uint32_t *list, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(list, count, sizeof *list, numbers_by_u32);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

size_t numbers_set_i64(int64_t *list, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(list, count, sizeof *list, by_i64);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i])
            list[kept++] = list[i];
    return kept;
}

uint32_t numbers_place(const uint32_t *list, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == number)
            return (uint32_t)i;
    return UINT32_MAX;
}
