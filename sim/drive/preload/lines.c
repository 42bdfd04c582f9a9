/* lines.c - lines on a program's standard output that mean something: `enter`, `leave`, `token 17`. It is held in that
 * write until locksim lets it go on, so that other clients come in between. */
#include <string.h>

#include "preload.h"

static bool says(const char *line, size_t n, const char *word)
{
    size_t length = strlen(word);
    return n >= length && memcmp(line, word, length) == 0 &&
           (n == length || line[length] == ' ' || line[length] == '\r');
}

static void hold(const char *line, size_t n)
{
    shared_slot *s = wait_begin(SLOT_IDLE, SHARED_NEVER, "write");
    n = n < sizeof s->line - 1 ? n : sizeof s->line - 1;
    memcpy(s->line, line, n);
    s->line[n] = '\0';
    s->seen = 0;
    atomic_fetch_add(&preload_page->marks, 1);
    atomic_store(&s->state, SLOT_PRINTS);
    while (!wait_on_word(s)) {
    }
    wait_end(s);
}

void lines_hold(int fd, const void *bytes, size_t n)
{
    (void)fd;
    const char *at = bytes, *end = at + n;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (says(at, length, "enter") || says(at, length, "leave") || says(at, length, "token"))
            hold(at, length);
        at += length + 1;
    }
}
