/* answer.c - see answer.h. */
#include "trace/answer.h"

static bool same_text(const reply *x, const reply *y)
{
    bool text_x = x->kind == REPLY_BULK || x->kind == REPLY_STATUS,
                  text_y = y->kind == REPLY_BULK || y->kind == REPLY_STATUS;
    return text_x && text_y && str_eq(x->text, y->text);
}

bool answer_same(const reply *x, const reply *y)
{
    bool nil_x = x->kind == REPLY_NIL || x->kind == REPLY_NIL_ARRAY,
                 nil_y = y->kind == REPLY_NIL || y->kind == REPLY_NIL_ARRAY;
    if (nil_x || nil_y)
        return nil_x && nil_y;
    if (x->kind == REPLY_ERROR || y->kind == REPLY_ERROR)
        return x->kind == y->kind;
    if (x->items && y->items && x->count == y->count) {
        for (size_t i = 0; i < x->count; i++)
            if (!answer_same(&x->items[i], &y->items[i]))
                return false;
        return true;
    }
    return same_text(x, y) || reply_equal(x, y);
}
