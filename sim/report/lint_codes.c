/* lint_codes.c - what each code of `locksim lint` means. The examples are those of tests/lint, in short. */
#include "report/lint.h"

#include "base/wrap.h"

const lint_code lint_codes[LINT_CODES] = {
    { "LS001", "syntax", "Redis' Lua 5.1 does not load this text",
      "Redis 7.0 compiles scripts with Lua 5.1: no goto, no integer division, no << and >>. A first line #!lua may "
      "name flags.\n"
      "  bad   local half = n // 2\n"
      "  good  local half = math.floor(n / 2)\n" },
    { "LS002", "unknown-global", "a global or a library's function that Redis does not give to scripts",
      "Reading it ends the script with an error, whatever was written before. There are no os, io, print, require, "
      "getfenv in 7.0.\n"
      "  bad   redis.publish(KEYS[2], 'free')\n"
      "  good  redis.call('publish', KEYS[2], 'free')\n" },
    { "LS003", "global-write", "a global is assigned",
      "Redis refuses it: Attempt to modify a readonly table. What was written before stays.\n"
      "  bad   owner = ARGV[1]\n"
      "  good  local owner = ARGV[1]\n" },
    { "LS004", "unused", "a name that is never used or hides another one, code that is never reached",
      "Nothing fails; often it is the trace of a slip. A name that begins with _ may stay unused.\n"
      "  bad   local lock, ttl = KEYS[1], ARGV[1]  return redis.call('del', lock)\n"
      "  good  local lock = KEYS[1]  return redis.call('del', lock)\n" },
    { "LS005", "undeclared-key", "a command's key is a literal, an ARGV or a reply, not one of KEYS",
      "A cluster sends the script where KEYS lie, and checks rights by them. A key that is not there may be on another "
      "node.\n"
      "  bad   redis.call('del', ARGV[1])\n"
      "  good  redis.call('del', KEYS[1])\n" },
    { "LS006", "built-key", "a command's key is put together from one of KEYS and something else",
      "In a cluster the new name lies in another slot, unless a {hash tag} holds the names together; Redis cannot know "
      "it beforehand.\n"
      "  bad   redis.call('del', KEYS[1] .. ':queue')\n"
      "  good  redis.call('del', KEYS[2])\n" },
    { "LS007", "unused-argument", "KEYS or ARGV with a gap, or read beyond what is passed",
      "KEYS[2] without KEYS[1] is mostly a wrong index. --keys N and --argv N say how many the caller passes.\n"
      "  bad   return redis.call('get', KEYS[2])\n"
      "  good  return redis.call('get', KEYS[1])\n" },
    { "LS008", "no-expiry", "a lock's key can be left without expiry on some way through the script",
      "A client that crashes then holds the lock for ever. Looked at are keys that get an expiry elsewhere in the "
      "script, keys that are\n"
      "created only where they were absent, and counts (INCR) and fields (HSETNX) whose reply is asked whether they "
      "are new.\n"
      "  bad   if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then return 1 end\n"
      "  good  if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end\n" },
    { "LS009", "text-order", "a text is compared with a number by < or >, or two texts that mean numbers",
      "ARGV and the replies of GET, HGET, ZSCORE are texts. With a number the script fails; two of them go by letters: "
      "'9' > '10'.\n"
      "  bad   if redis.call('zscore', KEYS[1], ARGV[1]) > 5 then return 1 end\n"
      "  good  if tonumber(redis.call('zscore', KEYS[1], ARGV[1]) or 0) > 5 then return 1 end\n" },
    { "LS010", "missing-reply", "a reply that may be missing is used as if it was there",
      "A missing reply is false, and tonumber(false) is nil: arithmetic, order and further commands fail with them.\n"
      "  bad   return redis.call('get', KEYS[1]) + 1\n"
      "  good  return (tonumber(redis.call('get', KEYS[1])) or 0) + 1\n" },
    { "LS011", "never-equal", "a comparison whose result never changes",
      "A missing reply is false and never nil; a text never equals a number, and a status is a table with a field ok.\n"
      "  bad   if redis.call('get', KEYS[1]) == nil then return 1 end\n"
      "  good  if redis.call('get', KEYS[1]) == false then return 1 end\n" },
    { "LS012", "zero-is-true", "a number is used as a truth",
      "EXISTS, HEXISTS, SETNX, EXPIRE answer 1 or 0, and 0 is true in Lua.\n"
      "  bad   if redis.call('exists', KEYS[1]) then return 0 end\n"
      "  good  if redis.call('exists', KEYS[1]) == 1 then return 0 end\n" },
    { "LS013", "partial-write", "an error after a write",
      "Nothing is rolled back: the caller sees an error, and the write stays.\n"
      "  bad   redis.call('incr', KEYS[1])  return redis.error_reply('ERR no')\n"
      "  good  return redis.error_reply('ERR no')\n" },
    { "LS014", "unbounded", "work for each element of a reply without bound",
      "All other clients wait while a script runs.\n"
      "  bad   for _, id in ipairs(redis.call('smembers', KEYS[1])) do redis.call('zrem', KEYS[2], id) end\n"
      "  good  for _, id in ipairs(redis.call('lrange', KEYS[1], 0, 9)) do redis.call('zrem', KEYS[2], id) end\n" },
    { "LS015", "rounded", "a long number as text keeps 14 digits only",
      "tostring and .. write numbers by %.14g: 1700000000000123 becomes 1.7e+15. Microseconds are that long.\n"
      "  bad   return 'at ' .. (now[1] * 1000000 + now[2])\n"
      "  good  return 'at ' .. string.format('%.0f', now[1] * 1000000 + now[2])\n" },
    { "LS016", "fraction", "a number with a fraction where a whole one is needed",
      "PEXPIRE, INCRBY and similar commands refuse 2.5, and a returned 2.5 reaches the caller as 2.\n"
      "  bad   redis.call('pexpire', KEYS[1], ARGV[1] / 3)\n"
      "  good  redis.call('pexpire', KEYS[1], math.floor(ARGV[1] / 3))\n" },
    { "LS017", "bad-command", "a command that Redis 7.0 does not have, does not allow in scripts, or with a wrong "
      "number of arguments",
      "It ends the script with an error, whatever was written before.\n"
      "  bad   redis.call('hset', KEYS[1], ARGV[1])\n"
      "  good  redis.call('hset', KEYS[1], ARGV[1], 1)\n" },
    { "LS018", "ignored-error", "the result of redis.pcall is ignored",
      "An error then passes without a trace.\n"
      "  bad   redis.pcall('pexpire', KEYS[1], ARGV[1])\n"
      "  good  redis.call('pexpire', KEYS[1], ARGV[1])\n" },
    { "LS019", "deprecated", "a command or function that has a successor",
      "It still works in 7.0; new scripts do without.\n"
      "  bad   redis.call('hmset', KEYS[1], 'a', 1)\n"
      "  good  redis.call('hset', KEYS[1], 'a', 1)\n" },
    { "LS020", "unchecked-delete", "the lock is deleted without asking who holds it",
      "A holder whose lease has run out deletes the next holder's lock.\n"
      "  bad   return redis.call('del', KEYS[1])\n"
      "  good  if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end  return 0\n" },
    { "LS021", "boolean-return", "false is returned beside nil or 0",
      "The caller gets nil for false, and 1 for true: it takes nil and 0 for two things, or cannot tell two apart.\n"
      "  bad   if redis.call('get', KEYS[1]) then return false end  return 0\n"
      "  good  if redis.call('get', KEYS[1]) then return 1 end  return 0\n" },
    { "LS022", "lost-return", "parts of a returned table do not reach the caller",
      "A table is returned as its elements 1, 2, ... up to the first nil; fields with names are dropped.\n"
      "  bad   return { count = redis.call('llen', KEYS[1]) }\n"
      "  good  return { 'count', redis.call('llen', KEYS[1]) }\n" },
    { "LS023", "ttl-unit", "a length of time in the wrong unit, by its name or size",
      "EXPIRE and EX take seconds, PEXPIRE and PX milliseconds.\n"
      "  bad   redis.call('expire', KEYS[1], lease_ms)\n"
      "  good  redis.call('pexpire', KEYS[1], lease_ms)\n" },
    { "LS024", "two-types", "one key used as two types",
      "The second command fails with WRONGTYPE.\n"
      "  bad   redis.call('set', KEYS[1], 1)  redis.call('hset', KEYS[1], 'a', 1)\n"
      "  good  redis.call('set', KEYS[1], 1)  redis.call('hset', KEYS[2], 'a', 1)\n" },
    { "LS025", "allow", "an allow comment without a reason, not understood, or with nothing to allow",
      "-- locksim: allow LS008 REASON silences LS008 on its own line, or on the next line of code if it stands alone.\n"
      "  bad   redis.call('del', KEYS[1])  -- locksim: allow LS020\n"
      "  good  redis.call('del', KEYS[1])  -- locksim: allow LS020 an operator's way out of a lock that is never "
      "released\n" },
    { "LC001", "unheard-answer", "client code: the answer of a request is ignored",
      "The request may have failed, or its answer may never come; a client that goes on as if it had been done "
      "believes too much.\n"
      "  bad   me:call('PEXPIRE', name, lease_ms)\n"
      "  good  local reply, problem = me:call('PEXPIRE', name, lease_ms)  if problem or reply == 0 then return nil, "
      "'lost' end\n" },
    { "LC002", "subscribed-unasked", "client code: a wait after a subscription, without a check in between",
      "A release between the first answer and the subscription reaches no one: the waiter sleeps beside a free lock.\n"
      "  bad   me:subscribe(channel, wake)  latch:acquire()\n"
      "  good  me:subscribe(channel, wake)  if not try(me, name) then latch:acquire() end\n" },
    { "LC003", "blind-release", "client code: a release deletes the key and compares nothing",
      "A holder whose lease has run out deletes the next holder's lock. Even a GET before it leaves a gap: a script "
      "leaves none.\n"
      "  bad   local gone = me:call('DEL', name, { op = 'release' })\n"
      "  good  local gone = me:eval(compare_and_delete, { name }, { me.id }, { op = 'release' })\n" },
    { "LC004", "endless-renewal", "client code: a task that renews, and that nothing ends",
      "Given back or lost, the lock is renewed for as long as the process lives: it may be another one's by then, or "
      "free.\n"
      "  bad   me:spawn('watchdog', function(task) while true do task:sleep(1000) renew(task) end end)\n"
      "  good  me:spawn('watchdog', function(task) repeat task:sleep(1000) until not renew(task) end)\n" },
};

void lint_add_codes(buf *out)
{
    buf_addz(out, "Codes (`locksim explain CODE` says more, with a bad and a good example):\n");
    for (size_t i = 0; i < LINT_CODES; i++) {
        enum { INDENT = 29 };
        buf_printf(out, "  %s  %-18s  ", lint_codes[i].code, lint_codes[i].name);
        wrap_words(out, str_from(lint_codes[i].summary), INDENT, INDENT, WRAP_WIDTH);
        buf_byte(out, '\n');
    }
}

const lint_code *lint_code_find(str word)
{
    for (size_t i = 0; i < LINT_CODES; i++)
        if (str_eq_nocase(word, str_from(lint_codes[i].code)) || str_eq_nocase(word, str_from(lint_codes[i].name)))
            return &lint_codes[i];
    return NULL;
}
