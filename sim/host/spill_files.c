/* spill_files.c - see spill_files.h. */
#include "host/spill_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/files.h"

/* -1 and errno: it cannot be made. All of its blocks are taken at once, for a page that finds no room later would end
 * the program. */
static int file_of(str folder, size_t bytes)
{
    buf name = { 0 };
    buf_printf(&name, "%.*s/locksim-XXXXXX", STR_ARG(folder));
    int fd = mkstemp(name.p), failed = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)bytes);
    if (fd >= 0)
        unlink(name.p);
    buf_free(&name);
    if (fd >= 0 && failed) {
        close(fd);
        fd = -1;
    }
    errno = failed;
    return fd;
}

static bool refuse(str folder, int number, err *e)
{
    return err_at(e, files_cause(number), folder, 0, 0, "cannot write: %s", strerror(number));
}

bool spill_files_try(str folder, err *e)
{
    int fd = file_of(folder, 1);
    if (fd < 0)
        return refuse(folder, errno, e);
    close(fd);
    return true;
}

static void *map(void *context, size_t bytes)
{
    spill_files *s = context;
    int fd = file_of(s->folder, bytes), failed = errno;
    void *p = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0 && p == MAP_FAILED)
        failed = errno;
    if (fd >= 0)
        close(fd);
    if (p != MAP_FAILED)
        return p;
    if (!atomic_exchange(&s->full, true)) {
        err e = { 0 };
        refuse(s->folder, failed, &e);
        err_hint(&e, "the search ends with what it has found; --spill DIR elsewhere, where there is more room");
        print_complaint(&e);
        err_clear(&e);
    }
    return NULL;
}

void spill_files_begin(spill_files *s, str folder)
{
    *s = (spill_files){ .door = { .context = s, .map = map }, .folder = folder };
}
