/* vector_reader.c - tables that several threads read. A reader is a copy of the tables' struct, which shares the tables
 * and has its own memory for the results of a look. A look that would have to learn ends. */
#include "base/mem.h"
#include "search/equal.h"
#include "search/vector_internal.h"

vectors *vectors_reader(const vectors *t)
{
    assert(!t->rerun);
    vectors *reader = mem_zero(sizeof *reader);
    reader->moves = mem_zero(t->clients * sizeof *reader->moves);
    vectors_reader_refresh(reader, t);
    return reader;
}

void vectors_reader_free(vectors *reader)
{
    if (!reader)
        return;
    folder_reader_free(reader->folder);
    mem_free(reader->moves);
    mem_free(reader->list);
    mem_free(reader->rows);
    mem_free(reader);
}

void vectors_reader_refresh(vectors *reader, const vectors *t)
{
    vectors own = *reader;
    *reader = *t;
    reader->moves = own.moves;
    reader->list = own.list;
    reader->list_cap = own.list_cap;
    reader->rows = own.rows;
    reader->row_cap = own.row_cap;
    reader->folder = folder_reader(own.folder, t->folder, reader);
    reader->all_rows = NULL;
    reader->all_cap = 0;
}

bool vectors_knows(vectors *reader, const uint32_t *row, const happening **list, size_t *count, size_t *same,
                   uint64_t *met)
{
    jmp_buf unknown;
    /* cppcheck-suppress autoVariables ; used below only */
    reader->unknown = &unknown;
    reader->met = met;
    return setjmp(unknown) == 0 && vectors_look(reader, row, list, count, same);
}

bool vectors_knows_ample(vectors *reader, const uint32_t *row, const happening *list, size_t count, uint32_t *process)
{
    jmp_buf unknown;
    /* cppcheck-suppress autoVariables ; used below only */
    reader->unknown = &unknown;
    if (setjmp(unknown) != 0)
        return false;
    *process = vectors_ample(reader, row, list, count);
    return true;
}

bool vectors_knows_fold(vectors *reader, const uint32_t *row, folded *out)
{
    jmp_buf unknown;
    /* cppcheck-suppress autoVariables ; used below only */
    reader->unknown = &unknown;
    if (setjmp(unknown) != 0)
        return false;
    *out = vectors_fold(reader, row);
    return true;
}

uint64_t vectors_learned(const vectors *t) { return t->learned; }

void vectors_forgive(vectors *t)
{
    t->failed = false;
    t->h->failed = false;
    err_clear(&t->h->out->error);
}
