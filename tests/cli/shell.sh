# shell.sh - `locksim shell`: replies as redis-cli prints them, a clock that is moved, and document 002's two terminal
# sessions.

# Runs the shell on the text of a here-document.
shell() { cat > input; status=0; timeout -k 5 60 "$LOCKSIM" shell "$@" < input > "$out" 2> "$err" || status=$?; }
printed() { cat > wanted; cmp -s wanted "$out"; }

shell <<'X'
set k v px 100
pttl k
.advance 100
exists k
.advance 1
get k
X
ends 0 "a key and its deadline"
check "a key lives through its deadline and is gone after" printed <<'X'
OK
(integer) 100
1700000000100 ms (2023-11-14 22:13:20.100 UTC, +100 ms since the start)
(integer) 1
1700000000101 ms (2023-11-14 22:13:20.101 UTC, +101 ms since the start)
(nil)
X

shell <<'X'
hset h f "a b" g '\n' x "\x00\xff\"\\"
hgetall h
lrange none 0 -1
eval "return {1, {2, 'x'}, false, redis.status_reply('FINE')}" 0
get h
SET "k" 'it''s'
"open
.keys
# a comment
X
check "replies look as in redis-cli" printed <<'X'
(integer) 3
1) "f"
2) "a b"
3) "g"
4) "\\n"
5) "x"
6) "\x00\xff\"\\"
(empty array)
1) (integer) 1
2) 1) (integer) 2
   2) "x"
3) (nil)
4) FINE
(error) WRONGTYPE Operation against a key holding the wrong kind of value
Invalid argument(s)
Invalid argument(s)
h {f = "a b", g = "\\n", x = "\x00\xff\"\\"}
X

shell <<'X'
subscribe a b
.client B
publish a hello
publish none x
.client main
get k
unsubscribe a
X
check "messages are shown with the connection they go to" printed <<'X'
1) "subscribe"
2) "a"
3) (integer) 1
1) "subscribe"
2) "b"
3) (integer) 2
(integer) 1
to main:
1) "message"
2) "a"
3) "hello"
(integer) 0
(error) ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context
1) "unsubscribe"
2) "a"
3) (integer) 1
X

shell <<'X'
blpop jobs other 5
get k
.client B
blmove jobs done left right 0.5
.client C
rpush jobs 1
.advance 501
.client main
get k
X
ends 64 "who waits can send nothing"
check "which is said" err_has "main waits for an answer and can send nothing"
check "a wait ends with a push or with its time-out" printed <<'X'
main waits
B waits
(integer) 1
to main:
1) "jobs"
2) "1"
1700000000501 ms (2023-11-14 22:13:20.501 UTC, +501 ms since the start)
to B:
(nil)
(nil)
X

# Document 002, first session: the simple lock. The SHA-1s are those of our own script files.
sha() { sha1sum < "$ROOT/scripts/$1" | cut -d' ' -f1; }
acquire=$(sha simple/string/acquire.lua) release=$(sha simple/string/release.lua)
shell <<X
.load simple/string/acquire.lua
.load simple/string/release.lua
evalsha $acquire 1 dist_lock 111111
evalsha $acquire 1 dist_lock 222222
evalsha $release 1 dist_lock 111111
evalsha $acquire 1 dist_lock 222222
X
ends 0 "document 002, simple lock"
check "document 002, simple lock: 1 0 1 1" printed <<X
"$acquire"
"$release"
(integer) 1
(integer) 0
(integer) 1
(integer) 1
X

# The second one: the reentrant lock, typed as the document has it, with the system's shell putting the file in.
cp "$ROOT/scripts/simple/counted/acquire.lua" lock_aquire.lua
cp "$ROOT/scripts/simple/counted/release.lua" lock_release.lua
acquire=$(printf '%s' "$(cat lock_aquire.lua)" | sha1sum | cut -d' ' -f1)
release=$(printf '%s' "$(cat lock_release.lua)" | sha1sum | cut -d' ' -f1)
shell <<X
redis-cli script load "\$(cat lock_aquire.lua)"
redis-cli script load "\$(cat lock_release.lua)"
evalsha $acquire 1 dist_lock 111111
evalsha $acquire 1 dist_lock 222222
evalsha $acquire 1 dist_lock 111111
evalsha $release 1 dist_lock 111111
evalsha $release 1 dist_lock 111111
evalsha $acquire 1 dist_lock 222222
X
ends 0 "document 002, reentrant lock"
check "document 002, reentrant lock: 1 0 1 1 1 1" printed <<X
"$acquire"
"$release"
(integer) 1
(integer) 0
(integer) 1
(integer) 1
(integer) 1
(integer) 1
X

# The lease: 10 seconds to the millisecond.
shell <<'X'
.load simple/string/acquire.lua
eval "return redis.call('ttl', KEYS[1])" 1 dist_lock
X
shell <<X
.load simple/string/acquire.lua
evalsha $(sha simple/string/acquire.lua) 1 dist_lock 111111 10
pttl dist_lock
.advance 10000
evalsha $(sha simple/string/acquire.lua) 1 dist_lock 222222 10
.advance 1
evalsha $(sha simple/string/acquire.lua) 1 dist_lock 222222 10
X
check "the lock of 111111 ends with its lease" test "$(grep -c 'integer' "$out")" -eq 4
check "the other one gets in a millisecond after the deadline" test "$(tail -1 "$out")" = "(integer) 1"

# The shell's own words, and mistakes with them: the session goes on.
shell <<'X'
.clock
.advance
.advance -1
.advance 99999999999999999999
.advacne 5
.load none.lua
.load .
get k
X
ends 65 "mistakes in a piped session"
check "what comes after a mistake still runs" test "$(tail -1 "$out")" = "(nil)"
check "the nearest word is named" err_has "did you mean .advance?"
check "a missing script is said with where it was looked for" err_has "cannot find 'none.lua'"
printf 'return 1 +' > bad.lua
shell <<'X'
.load bad.lua
.load ../../../../../../../../etc/hostname-that-is-not-there
X
check "a script that does not compile is an error reply" out_has "Error compiling script"

shell <<'X'
eval "return redis.call('set', 'undeclared', 1)" 0
eval "while true do end" 0
eval "local s = string.rep('a', 30) return string.find(s .. 'b', string.rep('a-', 25) .. 'c')" 0
eval "local t = {} for i = 1, 1e9 do t[i] = {i} end" 0
ping
X
check "endless scripts, pattern bombs and memory bombs end" test "$(tail -1 "$out")" = "PONG"
check "an undeclared key is a finding" err_has "LK050"

printf 'get a\nset a 1\nget a' > session.txt
run shell session.txt
ends 0 "a session from a file"
check "a session from a file, last line without newline" out_is '(nil)\nOK\n"1"\n'
run shell nowhere.txt
ends 65 "a session file that is not there"
head -c 200000 /dev/urandom > random
status=0; timeout -k 5 60 "$LOCKSIM" shell < random > "$out" 2> "$err" || status=$?
check "random bytes end in errors, not in a crash" test "$status" -lt 66
head -c 3000000 /dev/zero | tr '\0' 'x' | { status=0; timeout -k 5 60 "$LOCKSIM" shell > "$out" 2> "$err" ||
    status=$?; echo $status > st; }
status=$(cat st)
ends 0 "one line of three million bytes"
shell <<'X'
quit
get after
X
check "quit leaves" out_is_empty
shell --scripts "$ROOT/scripts/redisson" <<'X'
.load lock/acquire.lua
X
ends 0 ".load looks under --scripts"

shell <<'Y'
eval "return redis.error_reply(ARGV[1])" 0 "a\x1b[31m\xff"
eval "return {ok=ARGV[1]}" 0 "a\x07b"
"\x1b[31m" x
Y
check "errors and statuses bring no raw bytes to the terminal" printed <<'Y'
(error) ERR a\x1b[31m\xff
a\x07b
(error) ERR unknown command '\x1b[31m', with args beginning with: 'x' 
Y

printf 'help\nclock help\nhelp clock\nclock advance 1500\nclock get\nclock set 5\n' > words
run shell < words
check "help lists the shell's own words" out_has '.advance MS'
check "the clock's words are listed, asked for either way" test "$(grep -c '^CLOCK ADVANCE MS  let MS' "$out")" = 2
check "the clock moves by the words of serve" out_has '1700000001500 ms'
check "and says what it does not do" err_has 'this clock goes forward only'
