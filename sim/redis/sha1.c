/* sha1.c - SHA-1 as EVALSHA names scripts. Source: FIPS 180-4, sections 5.1.1, 5.3.1 and 6.1.2. */
#include "redis/redis.h"

#include <string.h>

static uint32_t rotl(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

static void sha1_block(uint32_t h[5], const unsigned char *p)
{
    uint32_t w[80];
    for (int t = 0; t < 16; t++, p += 4)
        w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int t = 16; t < 80; t++)
        w[t] = rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int t = 0; t < 80; t++) {
        uint32_t f, k;
        if (t < 20) {
            f = (b & c) | (~b & d);
            k = 0x5a827999;
        } else if (t < 40) {
            f = b ^ c ^ d;
            k = 0x6ed9eba1;
        } else if (t < 60) {
            f = (b & c) | (b & d) | (c & d);
            k = 0x8f1bbcdc;
        } else {
            f = b ^ c ^ d;
            k = 0xca62c1d6;
        }
        uint32_t next = rotl(a, 5) + f + e + k + w[t];
        e = d;
        d = c;
        c = rotl(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

void redis_sha1(str body, char hex[41])
{
    static const char digit[] = "0123456789abcdef";
    uint32_t h[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
    size_t at = 0;
    for (; body.n - at >= 64; at += 64)
        sha1_block(h, (const unsigned char *)body.p + at);

    /* The rest, one bit 1, zeros, and the length in bits: one block or two. */
    unsigned char tail[128] = { 0 };
    size_t rest = body.n - at, padded = rest < 56 ? 64 : 128;
    if (rest > 0)
        memcpy(tail, body.p + at, rest);
    tail[rest] = 0x80;
    uint64_t bits = (uint64_t)body.n * 8;
    for (size_t i = 0; i < 8; i++)
        tail[padded - 1 - i] = (unsigned char)(bits >> (8 * i));
    for (size_t i = 0; i < padded; i += 64)
        sha1_block(h, tail + i);

    for (size_t i = 0; i < 40; i++)
        hex[i] = digit[h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[40] = '\0';
}
