/* drive_ports.c - see drive_ports.h. */
#include "cli/drive_ports.h"

/* 0: it is no port. */
static uint16_t port_of(str text)
{
    uint32_t n = 0;
    if (text.n == 0 || text.n > 5)
        return 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return 0;
        n = n * 10 + (uint32_t)(text.p[i] - '0');
    }
    return n < 65536 ? (uint16_t)n : 0;
}

static bool is_there(const drive_ports *p, uint16_t port)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->at[i] == port)
            return true;
    return false;
}

bool ports_take(str text, drive_ports *out, err *e)
{
    *out = (drive_ports){ 0 };
    for (size_t from = 0; from <= text.n;) {
        size_t end = str_find(text, ',', from);
        str item = str_slice(text, from, end);
        uint16_t port = port_of(item);
        if (port == 0 || is_there(out, port) || out->count == SHARED_PORTS) {
            err_set(e, ERR_USAGE, "--port: '%.*s' %s", STR_ARG(str_slice(item, 0, 60)),
                    port == 0 ? "is no port" : out->count == SHARED_PORTS ? "is one too many" : "stands there twice");
            return err_hint(e, "6379 is one Redis, 6379,6380,6381 are three; %d at most, each from 1 to 65535",
                            SHARED_PORTS);
        }
        out->at[out->count++] = port;
        from = end + 1;
    }
    return true;
}
