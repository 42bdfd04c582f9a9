/* ours.c - see ours.h. */
#include "ours.h"

void ours_ask(hub *h, hub_client *ours, const str *argv, size_t argc, buf *out)
{
    buf request = { 0 };
    buf_printf(&request, "*%zu\r\n", argc);
    for (size_t i = 0; i < argc; i++) {
        buf_printf(&request, "$%zu\r\n", argv[i].n);
        buf_add(&request, argv[i]);
        buf_addz(&request, "\r\n");
    }
    hub_feed(ours, buf_str(&request));
    buf_free(&request);
    hub_client *c;
    while ((c = hub_next_touched(h)) != NULL) {
        buf taken = { 0 };
        while (hub_take(c, &taken)) {
            buf_add(out, buf_str(&taken));
            hub_sent(c, &taken);
        }
        buf_free(&taken);
    }
}
