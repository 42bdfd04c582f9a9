/* trace_log.c - see trace_log.h. */
#include "cli/trace_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

enum { CHUNK_BYTES = 256 << 10 };

bool trace_log_read(const char *path, reader *r, const bool *enough, bool *cut, err *e)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_at(e, ERR_SCENARIO, str_from(path), 0, 0, "the log cannot be read: %s", strerror(errno));
    gzFile in = gzdopen(fd, "rb");     /* reads what is not compressed, too */
    if (!in) {
        close(fd);
        return err_at(e, ERR_SCENARIO, str_from(path), 0, 0, "the log cannot be read");
    }
    gzbuffer(in, CHUNK_BYTES);
    char *room = mem_alloc(CHUNK_BYTES);
    int n;
    char last = '\n';
    while (!*enough && (n = gzread(in, room, CHUNK_BYTES)) > 0) {
        reader_feed(r, (str){ .p = room, .n = (size_t)n });
        last = room[n - 1];
    }
    int wrong;
    const char *why = gzerror(in, &wrong);
    if (wrong == Z_ERRNO)
        err_at(e, ERR_SCENARIO, str_from(path), 0, 0, "the log cannot be read: %s", strerror(errno));
    else if (wrong != Z_OK && wrong != Z_STREAM_END) {
        fprintf(stderr, "%s: warning: the compressed log is cut or damaged (%s): what was read of it is judged\n", path,
                why);
        *cut = wrong == Z_BUF_ERROR;
    }
    mem_free(room);
    gzclose(in);
    if (e->class_ != ERR_NONE)
        return false;
    uint64_t before = reader_count(r).bad;
    reader_end(r);
    *cut = (*cut || last != '\n') && reader_count(r).bad > before;
    return true;
}
