/* rng.c - see rng.h. */
#include "base/rng.h"

#include <assert.h>

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

rng rng_new(uint64_t seed, uint64_t stream)
{
    uint64_t x = stream;
    x = splitmix(&x) ^ seed;
    rng r;
    for (int i = 0; i < 4; i++)
        r.s[i] = splitmix(&x);
    return r;
}

uint64_t rng_next(rng *r)
{
    uint64_t *s = r->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint64_t rng_below(rng *r, uint64_t n)
{
    assert(n >= 1);
    uint64_t biased = -n % n;                      /* 2^64 mod n: draws below it would favour small results */
    for (;;) {
        uint64_t x = rng_next(r);
        if (x >= biased)
            return x % n;
    }
}
