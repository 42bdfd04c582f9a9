/* forms.h - how commands are written, for generating random ones: a table of forms, and the hostile words that fill
 * them. A form is words: a literal; a|b, one of them; [..], there or not; {..}, once to three times; %x, a word of kind
 * x:
 *   k  a key of the command's own family, mostly      K  any key         v  a value, field or member
 *   i  an integer        p  a position or short count  c  a count >= 0, mostly      o  an offset that costs no memory
 *   f  a score           b  a bound by score           y  a bound by member bytes
 *   t  a length of time  s  an instant in seconds      m  an instant in milliseconds
 *   g  a glob            u  a cursor                   N  numkeys and as many keys, mostly
 *   w  a width of bits   O  an offset in bits or widths
 *   I  an id of a stream's entry                       J  a bound by such an id
 *   G  a group of a stream                            C  a consumer of it
 *   n  a channel         P  a pattern of channels      H  a shard channel
 *   E  a longitude       A  a latitude                 R  a radius or length    U  a unit of it
 *   Y  a script that adds many elements to KEYS[1]
 *   x  a script that makes the collection KEYS[1] large    q  a script that publishes */
#ifndef LOCKSIM_TESTS_COMMAND_FORMS_H
#define LOCKSIM_TESTS_COMMAND_FORMS_H

#include "words.h"

typedef struct {
    char family;           /* s string, b bits, h hash, f its fields that expire, l list, S set, z sorted set, X stream,
                            * H estimate, G place, g any key, e expiry, t transactions, p channels, L large */
    const char *form;
    normal forgive;
} command_form;

static const command_form command_forms[] = {
    /* lists */
    { 'l', "lpush|rpush %k {%v}", EXACT },
    { 'l', "rpush %k {%v}", EXACT },
    { 'l', "lpushx|rpushx %k {%v}", EXACT },
    { 'l', "lpop|rpop %k [%c]", EXACT },
    { 'l', "llen %k", EXACT },
    { 'l', "lindex %k %p", EXACT },
    { 'l', "lset %k %p %v", EXACT },
    { 'l', "linsert %k before|after %v %v", EXACT },
    { 'l', "lrem %k %p %v", EXACT },
    { 'l', "lrange %k %p %p", EXACT },
    { 'l', "ltrim %k %p %p", EXACT },
    { 'l', "lpos %k %v [rank %p] [count %c] [maxlen %c]", EXACT },
    { 'l', "lpos %k %v [maxlen %c] [rank %p] [count %c]", EXACT },
    { 'l', "rpoplpush %k %k", EXACT },
    { 'l', "lmove %k %k left|right left|right", EXACT },
    { 'l', "lmpop %N left|right [count %c]", EXACT },
    /* OBJECT ENCODING: not of sets, of which ours gets its own pops back; Valkey packs some strings in its own way */
    { 'l', "object encoding %k", REFUSED },
    /* by letters, and by numbers only where a word is missing */
    { 'l', "sort %k alpha [asc|desc] [limit %p %p] [get #]", STALE_ERRNO },
    { 'l', "sort|sort_ro %k by nosort [alpha] [get #] [desc]", OPEN_ORDER },
    { 'l', "sort %k by nosort [limit %p %p] [get #] [get *] [desc] store %k", EXACT },
    { 'l', "sort|sort_ro %k alpha [limit %p] [get %g] [by]", STALE_ERRNO },
    /* sets */
    { 'S', "sadd %k {%v}", EXACT },
    { 'S', "sadd %k {%p}", EXACT },
    { 'S', "srem %k {%v}", EXACT },
    { 'S', "sismember %k %v", EXACT },
    { 'S', "smismember %k {%v}", EXACT },
    { 'S', "smembers %k", TABLE_ORDER },
    { 'S', "scard %k", EXACT },
    { 'S', "smove %k %k %v", EXACT },
    { 'S', "spop %k", OPEN_POP },
    { 'S', "spop %k %c", OPEN_POP },
    { 'S', "srandmember %k [%p]", OPEN_CHOICE },
    { 'S', "sinter|sunion|sdiff {%k}", OPEN_ORDER },
    { 'S', "sinterstore|sunionstore|sdiffstore {%k} %k", EXACT },
    { 'S', "sintercard %N [limit %c]", EXACT },
    { 'S', "sscan %k %u [match %g] [count %c]", SCAN_ROUNDS },
    { 'S', "sort %k alpha [asc|desc] [limit %p %p] [get #]", STALE_ERRNO },
    { 'S', "sort_ro %k alpha [desc] [limit %p %p] [get %g]", STALE_ERRNO },
    /* sorted sets */
    { 'z', "zadd %k {%f %v}", EXACT },
    { 'z', "zadd %k {%f %v}", EXACT },
    { 'z', "zadd %k [nx|xx] [gt|lt] [ch] {%f %v}", EXACT },
    { 'z', "zadd %k [nx|xx] [ch] [gt|lt] incr %f %v", EXACT },
    { 'z', "zincrby %k %f %v", EXACT },
    { 'z', "zrem %k {%v}", EXACT },
    { 'z', "zscore %k %v", EXACT },
    { 'z', "zmscore %k {%v}", EXACT },
    { 'z', "zcard %k", EXACT },
    { 'z', "zrank|zrevrank %k %v", EXACT },
    { 'z', "zcount %k %b %b", EXACT },
    { 'z', "zlexcount %k %y %y", EXACT },
    { 'z', "zpopmin|zpopmax %k [%c]", EXACT },
    { 'z', "zmpop %N min|max [count %c]", EXACT },
    { 'z', "zrandmember %k [%p]", OPEN_CHOICE },
    { 'z', "zrandmember %k %p withscores", OPEN_CHOICE },
    { 'z', "zrange %k %p %p [rev] [withscores]", EXACT },
    { 'z', "zrange %k %b %b byscore [rev] [limit %p %p] [withscores]", EXACT },
    { 'z', "zrange %k %y %y bylex [rev] [limit %p %p]", EXACT },
    { 'z', "zrange %k %p|%b|%y %p|%b|%y [byscore|bylex] [rev] [limit %p %p] [withscores] [byscore|bylex|rev]", EXACT },
    { 'z', "zrevrange %k %p %p [withscores]", EXACT },
    { 'z', "zrangebyscore|zrevrangebyscore %k %b %b [withscores] [limit %p %p]", EXACT },
    { 'z', "zrangebylex|zrevrangebylex %k %y %y [limit %p %p]", EXACT },
    { 'z', "zrangestore %k %k %p %p [rev]", EXACT },
    { 'z', "zrangestore %k %k %b %b byscore [rev] [limit %p %p]", EXACT },
    { 'z', "zrangestore %k %k %y %y bylex [rev] [limit %p %p]", EXACT },
    { 'z', "zremrangebyrank %k %p %p", EXACT },
    { 'z', "zremrangebyscore %k %b %b", EXACT },
    { 'z', "zremrangebylex %k %y %y", EXACT },
    { 'z', "zunionstore|zinterstore %k %N [weights %f %f] [aggregate sum|min|max]", EXACT },
    { 'z', "zunionstore|zinterstore %k %N [aggregate sum|min|max] [weights %f]", EXACT },
    { 'z', "zdiffstore %k %N", EXACT },
    { 'z', "zunion|zinter %N [weights %f %f] [aggregate sum|min|max] [withscores]", EXACT },
    { 'z', "zdiff %N [withscores]", EXACT },
    { 'z', "zintercard %N [limit %c]", EXACT },
    { 'z', "object encoding %k", REFUSED },
    { 'z', "zscan %k %u [match %g] [count %c]", SCAN_ROUNDS },
    /* streams; the other ids of a stream may be 0-0 to 11-3, or near to now */
    { 'X', "xadd %k * {%v %v}", EXACT },
    { 'X', "xadd %k %I {%v %v}", EXACT },
    { 'X', "xadd %k [nomkstream] [maxlen =|~ %c] *|%I {%v %v}", EXACT },
    { 'X', "xadd %k [minid =|~ %I] [nomkstream] * {%v %v}", EXACT },
    { 'X', "xadd %k [maxlen %c] [minid %I] [limit %c] %I {%v %v}", EXACT },
    { 'X', "xadd %k maxlen|minid ~ %c limit %c * {%v %v}", EXACT },
    { 'X', "xtrim %k maxlen|minid [=|~] %c|%c|%I [limit %c]", EXACT },
    { 'X', "xtrim %k [minid %I] [maxlen %c]", EXACT },
    { 'X', "xlen %k", EXACT },
    { 'X', "xdel %k {%I}", EXACT },
    { 'X', "xrange %k %J %J [count %p]", EXACT },
    { 'X', "xrevrange %k %J %J [count %p]", EXACT },
    { 'X', "xread [count %p] streams %k %I|%J|$|+|0|0", EXACT },
    { 'X', "xread [count %c] streams %k %k %I|$|0 %I|+|0", EXACT },
    { 'X', "xread [count %c] [noack] [streams] {%k} {%I}", EXACT },
    { 'X', "xsetid %k %I [entriesadded %c] [maxdeletedid %I]", EXACT },
    { 'X', "xgroup create %k %G %I|$|0|0|0 [mkstream] [entriesread %p]", EXACT },
    { 'X', "xgroup create %k %G $|0|0 mkstream", EXACT },
    { 'X', "xgroup setid %k %G %J|$|0|0 [entriesread %c]", EXACT },
    { 'X', "xgroup destroy|create|setid|x %k %G [%C]", EXACT },
    { 'X', "xgroup createconsumer|delconsumer %k %G %C", EXACT },
    { 'X', "xreadgroup group %G %C [count %p] [noack] streams %k >|>|>|>|0|0|%I", EXACT },
    { 'X', "xreadgroup group %G %C [count %p] streams %k >", EXACT },
    { 'X', "xreadgroup group %G %C [count %c] streams %k %k >|0|%I|> >|$|+|%I|>", EXACT },
    { 'X', "xreadgroup [group %G %C] [count %c] [noack] [streams] {%k} {%I}", EXACT },
    { 'X', "xack %k %G {%I}", EXACT },
    { 'X', "xpending %k %G", EXACT },
    { 'X', "xpending %k %G [idle %c] %J %J %c [%C]", EXACT },
    { 'X', "xpending %k %G - + %c [%C]", EXACT },
    { 'X', "xclaim %k %G %C %c {%I} [idle|time %c] [retrycount %c] [force] [justid] [lastid %I]", EXACT },
    { 'X', "xclaim %k %G %C 0 {%I} [time %m] [justid] [force] [retrycount] [x]", EXACT },
    { 'X', "xautoclaim %k %G %C %c %J [count %c] [justid] [x]", EXACT },
    { 'X', "xautoclaim %k %G %C 0 - [count %c] [justid]", EXACT },
    { 'X', "xautoclaim %k %G %C 0 0 count 1|2", EXACT },
    /* a script's map has no order */
    { 'X', "xinfo stream %k", OPEN_ORDER },
    { 'X', "xinfo stream %k full [count %p]", OPEN_ORDER },
    { 'X', "xinfo groups %k", OPEN_ORDER },
    { 'X', "xinfo consumers %k %G", OPEN_ORDER },
    { 'X', "copy %k %k [replace]", EXACT },
    { 'X', "rename %k %k", EXACT },
    { 'X', "del|type|pexpire %k [%t]", EXACT },
    /* strings */
    { 's', "get %k", EXACT },
    { 's', "set %k %v", EXACT },
    { 's', "set %k %v [nx|xx] [get] [ex|px %t]", EXACT },
    { 's', "set %k %v [get] [keepttl] [xx|nx]", EXACT },
    { 's', "set %k %v [exat %s] [pxat %m] [px %t]", EXACT },
    { 's', "setnx %k %v", EXACT },
    { 's', "setex|psetex %k %t %v", EXACT },
    { 's', "getset %k %v", EXACT },
    { 's', "getdel %k", EXACT },
    { 's', "getex %k [persist]", EXACT },
    { 's', "getex %k ex|px %t", EXACT },
    { 's', "getex %k [exat %s] [pxat %m]", EXACT },
    { 's', "mget {%K}", EXACT },
    { 's', "mset|msetnx {%k %v}", EXACT },
    { 's', "incr|decr %k", EXACT },
    { 's', "incrby|decrby %k %i", EXACT },
    { 's', "incrbyfloat %k %f", EXACT },
    { 's', "append %k %v", EXACT },
    { 's', "strlen %k", EXACT },
    { 's', "getrange|substr %k %p %p", EXACT },
    { 's', "setrange %k %o %v", EXACT },
    { 's', "set %k %v ifeq %v [get] [px %t|exat %s|keepttl|nx|ifeq|pxat %m]", EXACT },
    { 's', "delifeq %k %v", EXACT },
    { 's', "lcs %k %k [len] [idx] [minmatchlen %p] [withmatchlen]", EXACT },
    { 's', "lcs %k %k idx [minmatchlen %p] [withmatchlen]", EXACT },
    /* how many different elements, by estimate; PFDEBUG changes what it looks at */
    { 'H', "pfadd %k {%v}", EXACT },
    { 'H', "pfadd %k {%p} {%p} {%p}", EXACT },
    { 'H', "pfadd %k [%i]", EXACT },
    { 'H', "eval %Y 1 %k %p", EXACT },
    { 'H', "pfcount %k", EXACT },
    { 'H', "pfcount {%k}", EXACT },
    { 'H', "pfmerge {%k}", EXACT },
    { 'H', "pfdebug decode|encoding|todense|x %k", EXACT },
    { 'H', "get|strlen|del|object encoding %k", EXACT },
    { 'H', "copy|rename %k %k", EXACT },
    /* places; no two are equally far from a third one, whose order is open */
    { 'G', "geoadd %k [nx|xx] [ch] {%E %A %v}", EXACT },
    { 'G', "geoadd %k %E %A %v %E %A %v %E %A %v", EXACT },
    { 'G', "geopos|geohash %k {%v}", EXACT },
    { 'G', "geodist %k %v %v [%U]", EXACT },
    { 'G', "georadius|georadius_ro %k %E %A %R %U [withdist] [withcoord] [withhash] [count %c] [asc|desc]", EXACT },
    { 'G', "georadius %k %E %A %R %U [store|storedist %k] [count %c] [withdist]", EXACT },
    { 'G', "georadiusbymember|georadiusbymember_ro %k %v %R %U [withdist] [count %c] [any] [asc|desc]", EXACT },
    { 'G', "georadiusbymember %k %v %R %U [store|storedist %k] [withhash]", EXACT },
    { 'G', "geosearch %k frommember %v byradius %R %U [asc|desc] [count %c] [any] [withdist] [withhash] [withcoord]",
      EXACT },
    { 'G', "geosearch %k fromlonlat %E %A bybox %R %R %U [asc|desc] [count %c] [any] [withdist]", EXACT },
    { 'G', "geosearch %k [frommember %v] [fromlonlat %E %A] [byradius %R %U] [bybox %R %R %U] [x] [count %c]", EXACT },
    { 'G', "geosearchstore %k %k fromlonlat %E %A byradius %R %U [storedist] [count %c] [asc] [withdist]", EXACT },
    { 'G', "geosearchstore %k %k frommember %v bybox %R %R %U [storedist] [count %c] [any]", EXACT },
    { 'G', "zrem|zscore %k %v", EXACT },
    { 'G', "del|zcard %k", EXACT },
    /* bits */
    { 'b', "setbit %k %o 0|1|0|1|2", EXACT },
    { 'b', "setbit %k %o 0|1", EXACT },
    { 'b', "getbit %k %o|%o|%p", EXACT },
    { 'b', "bitcount %k [%p %p] [byte|bit]", EXACT },
    { 'b', "bitcount %k %p %p [byte|bit|x]", EXACT },
    { 'b', "bitop and|or|xor|x %k {%k}", EXACT },
    { 'b', "bitop not %k %k", EXACT },
    { 'b', "bitop not %k {%k}", EXACT },
    { 'b', "bitpos %k 0|1|0|1|2|x [%p]", EXACT },
    { 'b', "bitpos %k 0|1 %p %p [byte|bit|x]", EXACT },
    { 'b', "bitfield %k {get %w %O}", EXACT },
    { 'b', "bitfield %k [overflow wrap|sat|fail|x] {set|incrby %w %O %i}", EXACT },
    { 'b', "bitfield %k [get %w %O] [overflow sat|fail] [incrby %w %O %i] [set %w %O %i]", EXACT },
    { 'b', "bitfield_ro %k {get %w %O}", EXACT },
    { 'b', "bitfield_ro %k get|set %w %O [%i]", EXACT },
    { 'b', "set %k %v", EXACT },
    { 'b', "append|getset %k %v", EXACT },
    { 'b', "setrange %k %o %v", EXACT },
    { 'b', "getrange %k %p %p", EXACT },
    { 'b', "get|strlen|del %k", EXACT },
    /* hashes */
    { 'h', "hset %k {%v %v}", EXACT },
    { 'h', "hset %k %v %i", EXACT },
    { 'h', "hmset %k {%v %v}", EXACT },
    { 'h', "hsetnx %k %v %v", EXACT },
    { 'h', "hget %k %v", EXACT },
    { 'h', "hmget %k {%v}", EXACT },
    { 'h', "hgetall %k", TABLE_ORDER_PAIRS },
    { 'h', "hkeys|hvals %k", TABLE_ORDER },
    { 'h', "hlen %k", EXACT },
    { 'h', "hexists|hstrlen %k %v", EXACT },
    { 'h', "hdel %k {%v}", EXACT },
    { 'h', "hincrby %k %v %i", EXACT },
    { 'h', "hincrbyfloat %k %v %f", EXACT },
    { 'h', "hrandfield %k [%p]", OPEN_CHOICE },
    { 'h', "hrandfield %k %p withvalues", OPEN_CHOICE },
    { 'h', "hscan %k %u [match %g] [count %c]", SCAN_ROUNDS },
    { 'h', "object encoding %k", REFUSED },
    /* fields of hashes that expire */
    { 'f', "hexpire|hpexpire %k %t [nx|xx|gt|lt] fields 1 %v", EXACT },
    { 'f', "hpexpire %k %t fields 2 %v %v", EXACT },
    { 'f', "hpexpire %k %t [nx|xx|gt|lt|x] fields 3 %v %v %v", EXACT },
    { 'f', "hexpireat|hpexpireat %k %s|%m [nx|xx|gt|lt] fields 1 %v", EXACT },
    { 'f', "hpexpireat %k %m [nx|xx|gt|lt] [nx|xx|gt|lt] fields|x %c {%v}", EXACT },
    { 'f', "httl|hpttl|hexpiretime|hpexpiretime|hpersist %k fields 2 %v %v", EXACT },
    { 'f', "hpttl|hpexpiretime|hpersist %k fields 1 %v", EXACT },
    { 'f', "httl|hpttl|hexpiretime|hpexpiretime|hpersist|hgetdel %k fields|x %c {%v}", EXACT },
    { 'f', "hgetex %k [ex|px %t|persist] fields 2 %v %v", EXACT },
    { 'f', "hgetex %k [exat|pxat %s|%m|keepttl] [persist] fields|x %c {%v}", EXACT },
    { 'f', "hgetdel %k fields 2 %v %v", EXACT },
    { 'f', "hsetex %k [ex|px %t] fields 2 %v %v %v %v", EXACT },
    { 'f', "hsetex %k [fnx|fxx] [ex|px %t] fields 1 %v %v", EXACT },
    { 'f', "hsetex %k [fnx|fxx|nx|xx] [keepttl] [exat|pxat %s|%m] [fnx|x] fields %c {%v %v}", EXACT },
    { 'f', "hsetex %k keepttl fields 1 %v %v", EXACT },
    { 'f', "hscan %k 0 novalues [match %g]", SCAN_ROUNDS },
    { 'f', "hlen|hgetall %k", TABLE_ORDER_PAIRS },
    { 'f', "sort %k by nosort get %k->%v", OPEN_ORDER },
    /* keys; not RANDOMKEY, which deletes an expired key if it happens to draw it: DBSIZE would then tell the draws
     * apart */
    { 'g', "del|unlink|exists|touch {%K}", EXACT },
    { 'g', "del %K", EXACT },
    { 'g', "type %K", EXACT },
    { 'g', "pexpire %K %t", EXACT },
    { 'g', "ttl|pttl|expiretime|pexpiretime|persist %K", EXACT },
    { 'g', "rename|renamenx %K %K", EXACT },
    { 'g', "copy %K %K [db 0|1|x|16|-1] [replace]", EXACT },
    { 'g', "keys %g", OPEN_ORDER },
    { 'g', "scan %u [match %g] [count %c] [type string|hash|list|set|zset|nosuch]", SCAN_ROUNDS },
    { 'g', "dbsize|dbsize|dbsize|dbsize|dbsize|dbsize|dbsize|dbsize|flushdb|flushall [sync|async|x]", EXACT },
    { 'g', "move %K 0|1|1|1|x|16", EXACT },
    { 'g', "swapdb 0|0|0|0|1|x 0|0|0|1|x|16", EXACT },
    /* no `object refcount`: Redis counts arguments that are still in use, as in EXEC, and COPY makes a number of its
     * own */
    { 'g', "object idletime %K [%K]", REFUSED },
    { 'g', "object freq %K", EXACT },
    { 'g', "object nosuch|help [%K]", EXACT },
    { 'g', "time", EXACT },
    { 'g', "select 0|0|0|0|1|16|x", EXACT },
    { 'g', "ping [%v]", EXACT },
    { 'g', "echo %v", EXACT },
    { 'g', "nosuch|lpushy {%v}", EXACT },
    /* deadlines */
    { 'e', "expire|pexpire %K %t [nx|xx|gt|lt]", EXACT },
    { 'e', "expire|pexpire %K %t [nx|xx|gt|lt] [nx|xx|gt|lt]", EXACT },
    { 'e', "pexpire %K %t", EXACT },
    { 'e', "expireat %K %s [nx|xx|gt|lt]", EXACT },
    { 'e', "pexpireat %K %m [nx|xx|gt|lt]", EXACT },
    { 'e', "ttl|pttl|expiretime|pexpiretime %K", EXACT },
    { 'e', "persist %K", EXACT },
    { 'e', "set %K %v px|ex %t", EXACT },
    { 'e', "set %K %v keepttl [xx]", EXACT },
    { 'e', "set %K %v pxat|exat %m|%s [xx|nx] [get]", EXACT },
    { 'e', "psetex|setex %K %t %v", EXACT },
    { 'e', "getex %K px|ex %t", EXACT },
    { 'e', "getex %K pxat|exat %m|%s", EXACT },
    { 'e', "getex %K persist", EXACT },
    { 'e', "get|exists|del|touch|type|incr|getdel %K", EXACT },
    { 'e', "append|getset|setnx|rpush|lpush|sadd|setrange %K %v", EXACT },
    { 'e', "hset|hsetnx %K %v %v", EXACT },
    { 'e', "zadd %K %p %v", EXACT },
    { 'e', "hdel|srem|zrem %K {%v}", EXACT },
    { 'e', "lpop|rpop|zpopmin %K [%c]", EXACT },
    { 'e', "rename|renamenx %K %K", EXACT },
    { 'e', "copy %K %K [replace]", EXACT },
    { 'e', "rpoplpush %K %K", EXACT },
    { 'e', "dbsize", EXACT },
    { 'e', "time", EXACT },
    { 'e', "sunionstore|sinterstore|zunionstore %K %K", EXACT },
    /* transactions */
    { 't', "multi", EXACT },
    { 't', "exec", EXACT },
    { 't', "exec", EXACT },
    { 't', "discard", EXACT },
    { 't', "watch {%K}", EXACT },
    { 't', "watch %K", EXACT },
    { 't', "unwatch", EXACT },
    { 't', "multi|exec|discard|unwatch %K", EXACT },
    { 't', "nosuch %K", EXACT },
    { 't', "select 0|1", EXACT },
    { 't', "publish|spublish %K %v", EXACT },
    /* pops that would wait, where they do not: in MULTI */
    { 'B', "blpop|brpop {%K} %t|%f", EXACT },
    { 'B', "bzpopmin|bzpopmax {%K} %t|%f", EXACT },
    { 'B', "brpoplpush %K %K %t|%f", EXACT },
    { 'B', "blmove %K %K left|right|x left|right %t|%f", EXACT },
    { 'B', "blmpop %t %N left|right [count %c]", EXACT },
    { 'B', "bzmpop %t %N min|max [count %c]", EXACT },
    { 'B', "xread block %c|%c|%p [count %c] streams %K %I|$|0|0", EXACT },
    { 'B', "xreadgroup group %G %C block %c [noack] streams %K %I|>|>|0", EXACT },
    { 'B', "xread [count %c] block %c streams %K %K %I|$|0 %I|$|0", EXACT },
    /* channels: of a message's two patterns the first is left open, so that no two here match the same */
    { 'p', "subscribe {%n}", EXACT },
    { 'p', "subscribe %n", EXACT },
    { 'p', "psubscribe {%P}", EXACT },
    { 'p', "ssubscribe {%H}", EXACT },
    { 'p', "unsubscribe [%n]", EXACT },
    { 'p', "unsubscribe {%n}", EXACT },
    { 'p', "punsubscribe [%P]", EXACT },
    { 'p', "sunsubscribe [%H]", EXACT },
    { 'p', "publish %n %v", EXACT },
    { 'p', "publish %n %v", EXACT },
    { 'p', "publish %n %v", EXACT },
    { 'p', "spublish %H %v", EXACT },
    { 'p', "spublish %H %v", EXACT },
    { 'p', "eval %q 1 %n %v", EXACT },
    { 'p', "pubsub channels|shardchannels", OPEN_ORDER },
    { 'p', "pubsub channels|shardchannels %P|%g", OPEN_ORDER },
    { 'p', "pubsub numsub|shardnumsub|numpat", EXACT },
    { 'p', "pubsub numsub|shardnumsub|numpat|nosuch {%n}", EXACT },
    { 'p', "ping [%v]", EXACT },
    { 'p', "get|type|pubsub", EXACT },
    { 'p', "set|get %k [%v]", EXACT },
    /* Large collections, past the limits of the compact encodings, out of the sorted sets' reach: a large sorted set
     * keeps -0 apart from 0, and answers ranges by member over unequal scores in its own way. */
    { 'L', "eval %x 1 big", EXACT },
    { 'L', "eval %x 1 big", EXACT },
    { 'L', "type|del big", EXACT },
    { 'L', "lrange|ltrim big %p %p", EXACT },
    { 'L', "lpos big %p", EXACT },
    { 'L', "lrem big %p %p", EXACT },
    { 'L', "linsert big before|after %p %v", EXACT },
    { 'L', "lpush|rpush|lpushx big {%p}", EXACT },
    { 'L', "lpop|rpop big [%c]", EXACT },
    { 'L', "lset big %p %v", EXACT },
    { 'L', "hgetall big", TABLE_ORDER_PAIRS },
    { 'L', "hkeys|hvals big", TABLE_ORDER },
    { 'L', "hdel|hmget big {%p}", EXACT },
    { 'L', "hset|hincrby big %p %p", EXACT },
    { 'L', "hrandfield big %p withvalues", OPEN_CHOICE },
    { 'L', "smembers big", TABLE_ORDER },
    { 'L', "spop big %c", OPEN_POP },
    { 'L', "srandmember big %p", OPEN_CHOICE },
    { 'L', "srem|sadd|smismember big {%p}", EXACT },
    { 'L', "scard|llen|hlen big", EXACT },
    { 'L', "sinter|sunion|sdiff big %k", OPEN_ORDER },
    { 'L', "sinterstore|sunionstore|sdiffstore %k big %k", EXACT },
    { 'L', "sscan|hscan big 0 [match %g] [count 1000]", SCAN_ROUNDS },
    { 'L', "copy|rename big big2", EXACT },
    { 'L', "rename big2 big", EXACT },
};

/* Words by kind. Some are no such thing at all, which is their use. None is an offset between 1 MB and the limit of a
 * string, and none a huge negative count: the real server would spend its memory on them. */
static const str hostile_integers[] = {
    W("0"), W("-0"), W("+1"), W("01"), W(" 1"), W("1 "), W(""), W("abc"), W("1.5"), W("1e3"),
    W("0x10"), W("1\0"), W("-"), W("9223372036854775807"), W("-9223372036854775808"), W("9223372036854775808"),
    W("-9223372036854775807"), W("-9223372036854775809"), W("18446744073709551616"), W("4294967296"),
    W("9223372036854775"), W("99999999999999999999999999999999"),
};
static const str hostile_floats[] = {
    W("inf"), W("-inf"), W("+inf"), W("Infinity"), W("-infinity"), W("nan"), W("-nan"), W("1e400"),
    W("-1e400"), W("1e-400"), W("0x1p3"), W("0x10"), W(" 1"), W("1 "), W(""), W("-0"), W("3.3"),
    W("1e17"), W("1e308"), W("5e-324"), W("0.1"), W("9007199254740993"), W("(1"), W("1e"), W("+5"),
    W(".5"), W("5."), W("1700000000123"), W("-1e308"), W("abc"), W("1\0"), W("1e-7"), W("17179869184"),
    W("123456789012345678"), W("0.30000000000000004"),
};
static const str hostile_bounds[] = {
    W("(1"), W("("), W(""), W("-inf"), W("+inf"), W("inf"), W("(inf"), W("(-inf"), W(" 1"),
    W("1 "), W("( 2"), W("nan"), W("(nan"), W("1e400"), W("abc"), W("[1"), W("((1"), W("0x1"),
    W("-0"), W("(3.3"), W("2.5"), W("1\0x"), W("-"), W("+"),
};
static const str lex_bounds[] = {
    W("-"), W("+"), W("-"), W("+"), W("[a"), W("(a"), W("[b"), W("(b"), W("[c"), W("(c"),
    W("["), W("("), W("a"), W(""), W("-x"), W("+x"), W("[10"), W("(\xff"), W("[hello"), W("+\0"),
};
static const str values[] = {
    W("a"), W("b"), W("c"), W("a"), W("b"), W("c"), W("d"), W("aa"), W(""), W("1"), W("2"), W("10"),
    W("-5"), W("3.14"), W("5e3"), W("\xff\0bin"), W("hello world"), W("nan"), W("inf"), W(" 7"), W("007"),
    W("9223372036854775807"), W("-9223372036854775808"), W("1700000000123"), W("\r\n"),
    W("0123456789012345678901234567890123456789012345678901234567890123"), W("B"),
};
/* Turns a small hash into a hash table for good, and so is rare. Never in a sorted set. */
static const str long_value = W("01234567890123456789012345678901234567890123456789012345678901234");
static const str globs[] = {
    W("*"), W("?"), W("l*"), W("[a-c]"), W("[c-a]"), W("[^a]"), W("[a"), W("\\a"), W("*2"), W(""), W("**"),
    W("[]"), W("[^"), W("a*b"), W("h[ae]llo*"), W("\\"), W("[\\]]"), W("1"),
};
/* Past the limits at which Redis changes a collection's encoding. */
static const str growing_scripts[] = {
    W("local t = {} for i = 1, 140 do t[2 * i - 1] = i t[2 * i] = 'x' .. i end return redis.call('RPUSH', KEYS[1], "
      "unpack(t))"),
    W("local t = {} for i = 1, 520 do t[i] = i end return redis.call('SADD', KEYS[1], unpack(t))"),
    W("local t = {} for i = 1, 20 do t[i] = i * 7 - 60 end return redis.call('SADD', KEYS[1], unpack(t))"),
    W("local t = {} for i = 1, 1040 do t[i] = math.ceil(i / 2) end return redis.call('HSET', KEYS[1], unpack(t))"),
    W("local t = {} for i = 1, 30 do t[2 * i - 1] = 30 - i t[2 * i] = i end return redis.call('HSET', KEYS[1], "
      "unpack(t))"),
};
static const str estimating_scripts[] = {
    W("for i = 1, 40 do redis.call('PFADD', KEYS[1], ARGV[1] .. ':' .. i) end return redis.call('PFCOUNT', KEYS[1])"),
    W("local t = {} for i = 1, 700 do t[i] = ARGV[1] .. i end return redis.call('PFADD', KEYS[1], unpack(t))"),
    W("local t = {} for i = 1, 4000 do t[i] = i .. ARGV[1] end return redis.call('PFADD', KEYS[1], unpack(t))"),
};
static const str publishing_scripts[] = {
    W("return redis.call('publish', KEYS[1], ARGV[1])"),
    W("redis.call('publish', KEYS[1], '1') redis.call('publish', KEYS[1], ARGV[1]) return redis.call('nosuch')"),
    W("return {redis.call('publish', 'na', 'x'), redis.pcall('spublish', 'shard1', ARGV[1]), redis.pcall('subscribe', "
      "'na')}"),
};
static const str channels[] = { W("na"), W("nb"), W("ca"), W("cb"), W("m"), W(""), W("na\0") };
static const str patterns[] = { W("n[ab]"), W("c*"), W("\\m"), W("") };
static const str shard_channels[] = { W("shard1"), W("shard2"), W("shard") };
static const str groups[] = { W("g"), W("g"), W("g"), W("g"), W("g2"), W("g2"), W(""), W("g\0x"), W("no\r\n") };
static const str consumers[] = { W("a"), W("a"), W("b"), W("b"), W("c"), W(""), W("a\0") };
static const str radii[] = {
    W("0"), W("1"), W("100"), W("1000.5"), W("5000"), W("50000"), W("200000"), W("1e6"), W("5e6"), W("2e7"), W("1e9"),
    W("500"), W("3"), W("20"), W("-1"), W("x"), W(""), W("nan"), W("1e400"),
};
static const str units[] = { W("m"), W("km"), W("KM"), W("ft"), W("mi"), W("m"), W("km"), W("x"), W("") };
static const str hostile_degrees[] = { W("179"), W("-179"), W("85"), W("-85"), W("86"), W("181"),
                                       W("x"), W(""), W("nan"), W("inf"), W("0"), W("-0"), W("90") };
static const str widths[] = {
    W("u1"), W("u2"), W("u5"), W("u8"), W("u16"), W("u63"), W("u64"), W("i1"), W("i2"), W("i8"), W("i13"), W("i64"),
    W("i65"), W("u0"), W("x8"), W(""),
    W("i8"), W("u4"), W("u8x"),
};
static const str cursors[] = {
    W("0"), W("0"), W("0"), W("0"), W("5"), W("-1"), W(""), W("x"), W(" 0"), W("0 "), W("18446744073709551616"),
    W("+3"), W("18446744073709551615"),
};

#endif
