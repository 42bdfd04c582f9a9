/* about.c - what `locksim --version` tells; see about.h. */
#define _GNU_SOURCE                    /* dl_iterate_phdr */
#include "host/about.h"

#include <link.h>
#include <string.h>

#include "host/print.h"
#include "redis/dialect.h"
#include "source/host.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif
#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#else
#define MACHINE "another machine"
#endif

/* "redis 7.0, 8.0; valkey 8.1, 9.1" */
static void add_dialects(bool proved, buf *out)
{
    arena *a = arena_new();
    dialect d, last = { 0 };
    size_t told = 0;
    for (size_t i = 0; dialect_nth(i, &d); i++) {
        if (dialect_is_proved(d) != proved)
            continue;
        str name = dialect_name(a, d);
        bool same = told > 0 && d.lineage == last.lineage;
        buf_addz(out, told == 0 ? "" : same ? ", " : "; ");
        buf_add(out, same ? str_slice(name, str_find(name, ' ', 0) + 1, name.n) : name);
        last = d;
        told++;
    }
    arena_free(a);
}

/* The linker's hash of all that was linked, which distinguishes two builds. The first object is the program itself. */
static int add_id(struct dl_phdr_info *object, size_t size, void *context)
{
    enum { SHOWN = 8 };
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_NOTE)
            continue;
        ElfW(Nhdr) note;
        for (size_t at = 0; at + sizeof note <= part->p_memsz;) {
            const unsigned char *p = (const unsigned char *)(object->dlpi_addr + part->p_vaddr + at);
            memcpy(&note, p, sizeof note);
            size_t name = (note.n_namesz + 3) & ~(size_t)3, bytes = (note.n_descsz + 3) & ~(size_t)3;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz >= SHOWN) {
                buf_addz(context, ", id ");
                for (size_t k = 0; k < SHOWN; k++)
                    buf_printf(context, "%02x", p[sizeof note + name + k]);
                return 1;
            }
            at += sizeof note + name + bytes;
        }
    }
    return 1;
}

void about_tell(buf *out)
{
    buf_addz(out, "locksim " LOCKSIM_VERSION "\n");
    buf_addz(out, "dialects: ");
    add_dialects(true, out);
    buf_addz(out, " (compared with the real servers)\n          ");
    add_dialects(false, out);
    buf_addz(out, " (not compared)\nbuild: " COMPILER ", " MACHINE ", ");
    buf_addz(out, source_host_lua());
    dl_iterate_phdr(add_id, out);
    buf_byte(out, '\n');
}
