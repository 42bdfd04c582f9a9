/* xml.h - a reader for the XML that locksim writes, for tests. */
#ifndef LOCKSIM_TESTS_XML_H
#define LOCKSIM_TESTS_XML_H

/* cmocka wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

/* Tags nest, attributes are quoted, entities are known, text holds no bare < or &. */
static inline void assert_well_formed(str s)
{
    enum { DEPTH_MAX = 24 };
    str open[DEPTH_MAX] = { { 0 } };
    size_t depth = 0, roots = 0, i = 0;
    while (i < s.n) {
        unsigned char c = (unsigned char)s.p[i];
        assert_true(c >= 0x20 || c == '\n' || c == '\t');
        if (c == '&') {
            size_t end = str_find(s, ';', i);
            assert_true(end < s.n && end - i <= 5);
        }
        if (c != '<') {
            assert_true(c != '>');
            assert_true(depth > 0 || c == '\n');
            i++;
            continue;
        }
        bool closing = s.p[i + 1] == '/';
        size_t from = i + 1 + closing, at = from;
        while ((s.p[at] >= 'a' && s.p[at] <= 'z') || (s.p[at] >= '0' && s.p[at] <= '9'))
            at++;
        str name = str_slice(s, from, at);
        assert_true(name.n > 0);
        while (s.p[at] == ' ') {                   /* attributes */
            at = str_find(s, '=', at);
            assert_true(s.p[at + 1] == '"');
            size_t end = str_find(s, '"', at + 2);
            assert_true(end < s.n);
            for (size_t k = at + 2; k < end; k++)
                assert_true(s.p[k] != '<' && s.p[k] != '>' && (unsigned char)s.p[k] != '\r');
            at = end + 1;
        }
        bool empty = s.p[at] == '/';
        at += empty;
        assert_true(s.p[at] == '>');
        if (closing) {
            assert_true(depth > 0);
            assert_true(str_eq(open[--depth], name));
        } else if (!empty) {
            assert_true(depth < DEPTH_MAX);
            roots += depth == 0;
            open[depth++] = name;
        }
        i = at + 1;
    }
    assert_int_equal(depth, 0);
    assert_int_equal(roots, 1);
}

#endif
