/* sealed_file.c - see sealed_file.h.
 *
 *     | magic | what was put | sum of both |          16 bytes, any, 8 */
#include "host/sealed_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/mem.h"
#include "host/files.h"

enum { MAGIC_BYTES = 16 };
static const char magic[MAGIC_BYTES] = "locksim keeps 1\n";
static_assert(sizeof magic == MAGIC_BYTES, "what is put begins at a multiple of 16");

struct sealed_file {
    buf path, draft;
    FILE *to;
    XXH3_state_t *sum;
    int failed;            /* errno of the first write that did */
};

static void sealed_free(sealed_file *s)
{
    XXH3_freeState(s->sum);
    buf_free(&s->path);
    buf_free(&s->draft);
    mem_free(s);
}

static void put_raw(sealed_file *s, const void *bytes, size_t n)
{
    if (!s->failed && n > 0 && fwrite(bytes, 1, n, s->to) != n)
        s->failed = errno ? errno : EIO;
}

sealed_file *sealed_begin(str path, err *e)
{
    sealed_file *s = mem_zero(sizeof *s);
    buf_printf(&s->path, "%.*s", STR_ARG(path));
    buf_printf(&s->draft, "%.*s.part", STR_ARG(path));
    s->sum = XXH3_createState();
    XXH3_64bits_reset(s->sum);
    s->to = fopen(s->draft.p, "we");
    if (!s->to) {
        err_at(e, files_cause(errno), path, 0, 0, "cannot write: %s", strerror(errno));
        sealed_free(s);
        return NULL;
    }
    sealed_put(s, magic, sizeof magic);
    return s;
}

void sealed_put(sealed_file *s, const void *bytes, size_t n)
{
    XXH3_64bits_update(s->sum, bytes, n);
    put_raw(s, bytes, n);
}

bool sealed_end(sealed_file *s, err *e)
{
    uint64_t sum = XXH3_64bits_digest(s->sum);
    put_raw(s, &sum, sizeof sum);
    if (!s->failed && (fflush(s->to) != 0 || fsync(fileno(s->to)) != 0))
        s->failed = errno;
    if (fclose(s->to) != 0 && !s->failed)
        s->failed = errno;
    if (!s->failed && rename(s->draft.p, s->path.p) != 0)
        s->failed = errno;
    bool ok = !s->failed;
    if (!ok) {
        unlink(s->draft.p);
        err_at(e, files_cause(s->failed), buf_str(&s->path), 0, 0, "cannot write: %s", strerror(s->failed));
    }
    sealed_free(s);
    return ok;
}

static bool is_whole(const char *p, size_t n)
{
    uint64_t sum;
    if (n < MAGIC_BYTES + sizeof sum)
        return false;
    memcpy(&sum, p + n - sizeof sum, sizeof sum);
    return XXH3_64bits(p, n - sizeof sum) == sum;
}

static bool refuse(str path, const char *why, err *e)
{
    err_at(e, ERR_SCENARIO, path, 0, 0, "cannot go on from it: %s", why);
    return err_hint(e, "--checkpoint instead of --resume begins anew");
}

bool sealed_open(str path, str *bytes, err *e)
{
    buf name = { 0 };
    struct stat is;
    buf_printf(&name, "%.*s", STR_ARG(path));
    int fd = open(name.p, O_RDONLY | O_CLOEXEC), number = errno;
    buf_free(&name);
    if (fd < 0)
        return number != ENOENT && refuse(path, strerror(number), e);
    bool file = fstat(fd, &is) == 0 && S_ISREG(is.st_mode);
    size_t n = file ? (size_t)is.st_size : 0;
    char *p = n > 0 ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (p == MAP_FAILED)
        return refuse(path, file ? "it is empty, or cannot be read" : "it is no file", e);
    *bytes = (str){ p + MAGIC_BYTES, n - MAGIC_BYTES - sizeof(uint64_t) };
    if (is_whole(p, n) && memcmp(p, magic, sizeof magic) == 0)
        return true;
    bool ours = n >= sizeof magic && memcmp(p, magic, sizeof magic) == 0;
    munmap(p, n);
    return refuse(path, ours ? "it is damaged or cut off" : "it was not written by --checkpoint", e);
}

void sealed_close(str bytes)
{
    munmap((char *)(uintptr_t)bytes.p - MAGIC_BYTES, bytes.n + MAGIC_BYTES + sizeof(uint64_t));
}
