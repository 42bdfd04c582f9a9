/* shortest.c - doubles in few digits, as servers write them since Redis 7.2: Grisu2 (F. Loitsch, "Printing
 * Floating-Point Numbers Quickly and Accurately with Integers", 2010). Its digits always read back as the same double,
 * and of a thousand doubles about one gets a digit more than it needs, or another last one: these servers print exactly
 * those, so that strtod and "as few as possible" will not do. The choice of the cached power and the layout were found
 * by comparing with real servers (tests/conformance/scripts.c). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "redis/command.h"

/* bits * 2^exponent. */
typedef struct {
    uint64_t bits;
    int exponent;
} scaled;

enum { DIGITS_MAX = 18, FIRST_POWER = -348, POWER_STEP = 8, POWERS = 87 };

/* 10^(FIRST_POWER + POWER_STEP * i), the highest bit set, rounded to the nearest. */
static const uint64_t powers[POWERS] = {
    0xfa8fd5a0081c0288, 0xbaaee17fa23ebf76, 0x8b16fb203055ac76, 0xcf42894a5dce35ea, 0x9a6bb0aa55653b2d,
    0xe61acf033d1a45df, 0xab70fe17c79ac6ca, 0xff77b1fcbebcdc4f, 0xbe5691ef416bd60c, 0x8dd01fad907ffc3c,
    0xd3515c2831559a83, 0x9d71ac8fada6c9b5, 0xea9c227723ee8bcb, 0xaecc49914078536d, 0x823c12795db6ce57,
    0xc21094364dfb5637, 0x9096ea6f3848984f, 0xd77485cb25823ac7, 0xa086cfcd97bf97f4, 0xef340a98172aace5,
    0xb23867fb2a35b28e, 0x84c8d4dfd2c63f3b, 0xc5dd44271ad3cdba, 0x936b9fcebb25c996, 0xdbac6c247d62a584,
    0xa3ab66580d5fdaf6, 0xf3e2f893dec3f126, 0xb5b5ada8aaff80b8, 0x87625f056c7c4a8b, 0xc9bcff6034c13053,
    0x964e858c91ba2655, 0xdff9772470297ebd, 0xa6dfbd9fb8e5b88f, 0xf8a95fcf88747d94, 0xb94470938fa89bcf,
    0x8a08f0f8bf0f156b, 0xcdb02555653131b6, 0x993fe2c6d07b7fac, 0xe45c10c42a2b3b06, 0xaa242499697392d3,
    0xfd87b5f28300ca0e, 0xbce5086492111aeb, 0x8cbccc096f5088cc, 0xd1b71758e219652c, 0x9c40000000000000,
    0xe8d4a51000000000, 0xad78ebc5ac620000, 0x813f3978f8940984, 0xc097ce7bc90715b3, 0x8f7e32ce7bea5c70,
    0xd5d238a4abe98068, 0x9f4f2726179a2245, 0xed63a231d4c4fb27, 0xb0de65388cc8ada8, 0x83c7088e1aab65db,
    0xc45d1df942711d9a, 0x924d692ca61be758, 0xda01ee641a708dea, 0xa26da3999aef774a, 0xf209787bb47d6b85,
    0xb454e4a179dd1877, 0x865b86925b9bc5c2, 0xc83553c5c8965d3d, 0x952ab45cfa97a0b3, 0xde469fbd99a05fe3,
    0xa59bc234db398c25, 0xf6c69a72a3989f5c, 0xb7dcbf5354e9bece, 0x88fcf317f22241e2, 0xcc20ce9bd35c78a5,
    0x98165af37b2153df, 0xe2a0b5dc971f303a, 0xa8d9d1535ce3b396, 0xfb9b7cd9a4a7443c, 0xbb764c4ca7a44410,
    0x8bab8eefb6409c1a, 0xd01fef10a657842c, 0x9b10a4e5e9913129, 0xe7109bfba19c0c9d, 0xac2820d9623bf429,
    0x80444b5e7aa7cf85, 0xbf21e44003acdd2d, 0x8e679c2f5e44ff8f, 0xd433179d9c8cb841, 0x9e19db92b4e31ba9,
    0xeb96bf6ebadf77d9, 0xaf87023b9bf0ee6b,};

static scaled power_of_ten(int k)
{
    return (scaled){ powers[(k - FIRST_POWER) / POWER_STEP], (int)((k * INT64_C(217706)) >> 16) - 63 };
}

/* The power that brings a number of this exponent so close to 1 that its whole part has ten digits at most. */
static scaled power_for(int exponent, int *k)
{
    int i = ((int)(-(exponent + POWERS) * 0.30102999566398114) - FIRST_POWER) / POWER_STEP;
    for (;;) {
        *k = FIRST_POWER + i * POWER_STEP;
        scaled p = power_of_ten(*k);
        int at = exponent + p.exponent + 64;
        if (at >= -60 && at <= -32)
            return p;
        i += at < -60 ? 1 : -1;
    }
}

/* The upper half of the product, rounded. */
static scaled product(scaled x, scaled y)
{
    const uint64_t low = UINT32_MAX;
    uint64_t hh = (x.bits >> 32) * (y.bits >> 32), hl = (x.bits >> 32) * (y.bits & low),
    lh = (x.bits & low) * (y.bits >> 32),
             ll = (x.bits & low) * (y.bits & low);
    uint64_t middle = (hl & low) + (lh & low) + (ll >> 32) + (UINT64_C(1) << 31);
    return (scaled){ hh + (hl >> 32) + (lh >> 32) + (middle >> 32), x.exponent + y.exponent + 64 };
}

static scaled normal(scaled x)
{
    while (!(x.bits >> 63)) {
        x.bits <<= 1;
        x.exponent--;
    }
    return x;
}

/* The digits so far lie at or above the number: the last one goes down while that brings them nearer to it and not out
 * of the interval. `rest` is what the digits lack of the upper bound, `unit` what one more of the last digit is worth,
 * `goal` how far the number lies below the upper bound, `room` how far the lower bound does. */
static void round_last(char *last, uint64_t room, uint64_t rest, uint64_t unit, uint64_t goal)
{
    while (rest < goal && room - rest >= unit && (rest + unit < goal || goal - rest > rest + unit - goal)) {
        --*last;
        rest += unit;
    }
}

static const uint64_t tens[20] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000), UINT64_C(1000000000000000000), UINT64_C(10000000000000000000),
};

/* Digits until they lie between the bounds; *power gets added what the last one is worth, as a power of ten. */
static int make_digits(uint64_t number, scaled upper, uint64_t lower, char digits[DIGITS_MAX], int *power)
{
    int shift = -upper.exponent, n = 0, left = 10;
    uint64_t one = UINT64_C(1) << shift, goal = upper.bits - number, room = upper.bits - lower;
    uint64_t whole = upper.bits >> shift, part = upper.bits & (one - 1);
    while (left > 0) {
        uint64_t worth = tens[--left], digit = whole / worth;
        if (digit || n)
            digits[n++] = (char)('0' + digit);
        whole -= digit * worth;
        uint64_t rest = (whole << shift) + part;
        if (rest <= room) {
            *power += left;
            round_last(&digits[n - 1], room, rest, worth << shift, goal);
            return n;
        }
    }
    for (uint64_t scale = 10;; scale *= 10) {
        part *= 10;
        room *= 10;
        left--;
        uint64_t digit = part >> shift;
        if (digit || n)
            digits[n++] = (char)('0' + digit);
        part &= one - 1;
        if (part < room) {
            *power += left;
            round_last(&digits[n - 1], room, part, one, goal * scale);
            return n;
        }
    }
}

/* d > 0, finite: digits * 10^power. */
static int grisu2(double d, char digits[DIGITS_MAX], int *power)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const uint64_t hidden = UINT64_C(1) << 52;
    int exponent = (int)(bits >> 52 & 0x7ff), k;
    scaled x = { bits & (hidden - 1), exponent ? exponent - 1075 : -1074 };
    if (exponent)
        x.bits |= hidden;
    scaled upper = normal((scaled){ 2 * x.bits + 1, x.exponent - 1 });
    int below = x.bits == hidden ? 2 : 1;          /* under a power of two doubles lie closer */
    scaled lower = { ((x.bits << below) - 1) << (x.exponent - below - upper.exponent), upper.exponent };
    scaled by = power_for(upper.exponent, &k);
    upper = product(upper, by);
    lower = product(lower, by);
    *power = -k;
    upper.bits--;
    return make_digits(product(normal(x), by).bits, upper, lower.bits + 1, digits, power);
}

static size_t lay_out(char *text, const char *digits, int n, int power)
{
    char *at = text;
    int place = power + n - 1, far = place < 0 ? -place : place;      /* of the first digit */
    if (power >= 0 && far < n + 7)
        return (size_t)sprintf(text, "%.*s%.*s", n, digits, power, "000000000000000000000000");
    if (power < 0 && (power > -7 || far < 4)) {
        int whole = n + power;
        if (whole <= 0)
            return (size_t)sprintf(text, "0.%.*s%.*s", -whole, "000000000000000000000000", n, digits);
        return (size_t)sprintf(text, "%.*s.%.*s", whole, digits, n - whole, digits + whole);
    }
    *at++ = digits[0];
    if (n > 1)
        at += sprintf(at, ".%.*s", n - 1, digits + 1);
    at += sprintf(at, "e%c%d", place < 0 ? '-' : '+', far);
    return (size_t)(at - text);
}

size_t double_text_short(double d, char text[DOUBLE_TEXT_MAX])
{
    const double whole_max = 4611686018427387904.0;                    /* 2^62 */
    if (isnan(d))
        return (size_t)sprintf(text, "nan");
    if (isinf(d))
        return (size_t)sprintf(text, d > 0 ? "inf" : "-inf");
    if (d == 0)
        return (size_t)sprintf(text, signbit(d) ? "-0" : "0");
    if (d >= -whole_max && d <= whole_max && d == (double)(int64_t)d)
        return (size_t)sprintf(text, "%" PRId64, (int64_t)d);
    char digits[DIGITS_MAX];
    int power, n = grisu2(fabs(d), digits, &power);
    bool negative = d < 0;
    if (negative)
        *text = '-';
    return negative + lay_out(text + negative, digits, n, power);
}
