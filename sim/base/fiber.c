/* fiber.c - see fiber.h. */
#include "base/fiber.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/last.h"
#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

enum { STACK_BYTES = 8 << 20, GUARD_BYTES = 64 << 10 };

struct fiber {
    ucontext_t inside, outside;
    char *stack;                   /* GUARD_BYTES, then STACK_BYTES */
    void (*fn)(void *context);
    void *context;
    bool running, stands;
    /* Of the sanitizer, which must know on which stack it is. */
    void *fake_inside, *fake_outside;
    const void *outside_stack;
    size_t outside_bytes;
};

/* ---- annotations for AddressSanitizer: empty without it ---- */

static void leaves(void **fake, const void *stack, size_t bytes)
{
#ifdef SANITIZED
    __sanitizer_start_switch_fiber(fake, stack, bytes);
#else
    (void)fake, (void)stack, (void)bytes;
#endif
}

static void arrived(void *fake, const void **stack, size_t *bytes)
{
#ifdef SANITIZED
    __sanitizer_finish_switch_fiber(fake, stack, bytes);
#else
    (void)fake, (void)stack, (void)bytes;
#endif
}

/* ---- both sides ---- */

fiber *fiber_new(void)
{
    fiber *f = mem_zero(sizeof *f);
    void *at = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at == MAP_FAILED || mprotect(at, GUARD_BYTES, PROT_NONE) != 0)
        last_words("out of memory");
    f->stack = at;
    return f;
}

void fiber_free(fiber *f)
{
    if (!f)
        return;
    assert(!f->stands && !f->running);
    munmap(f->stack, GUARD_BYTES + STACK_BYTES);
    mem_free(f);
}

bool fiber_stands(const fiber *f)
{
    return f->stands;
}

/* makecontext hands over whole numbers only: a pointer goes as two of them. */
static void begin(unsigned high, unsigned low)
{
    fiber *f = (fiber *)((uintptr_t)high << 16 << 16 | (uintptr_t)low);     /* NOLINT(performance-no-int-to-ptr) */
    arrived(NULL, &f->outside_stack, &f->outside_bytes);
    f->fn(f->context);
    f->stands = false;
    leaves(NULL, f->outside_stack, f->outside_bytes);
}

/* To the other side, and back when it has paused or returned. */
static bool enter(fiber *f)
{
    assert(!f->running);
    f->running = f->stands = true;
    leaves(&f->fake_outside, f->stack + GUARD_BYTES, STACK_BYTES);
    swapcontext(&f->outside, &f->inside);
    arrived(f->fake_outside, NULL, NULL);
    f->running = false;
    return !f->stands;
}

bool fiber_run(fiber *f, void (*fn)(void *context), void *context)
{
    assert(!f->stands);
    f->fn = fn;
    f->context = context;
    getcontext(&f->inside);
    f->inside.uc_stack.ss_sp = f->stack + GUARD_BYTES;
    f->inside.uc_stack.ss_size = STACK_BYTES;
    f->inside.uc_link = &f->outside;
    uintptr_t self = (uintptr_t)f;
    makecontext(&f->inside, (void (*)(void))begin, 2, (unsigned)(self >> 16 >> 16), (unsigned)self);
    return enter(f);
}

bool fiber_go_on(fiber *f)
{
    assert(f->stands);
    return enter(f);
}

void fiber_pause(fiber *f)
{
    assert(f->running);
    leaves(&f->fake_inside, f->outside_stack, f->outside_bytes);
    swapcontext(&f->inside, &f->outside);
    arrived(f->fake_inside, &f->outside_stack, &f->outside_bytes);
}
