# trace_own.sh - `locksim trace` of clients' own logs: each request with when it was sent and when it was answered. An
# order that explains all answers is searched.
printf 'return { acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = "give_back.lua",
  args = { release = { "$token" } }, granted = "OK", lease_ms = 60 }\n' > table.lua
printf "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0" > give_back.lua
sha=$(sha1sum < give_back.lua | cut -d ' ' -f 1)

# take CLIENT SENT ANSWERED TOKEN ANSWER; give: the same. ANSWERED null: nobody knows.
line() {
    local tail=", \"answered\": $3, \"answer\": $4"
    [ "$3" != null ] || tail=
    echo "{\"client\": \"$1\", \"sent\": $((1700000000000 + $2))$tail, \"words\": [$5]}" |
        sed "s/\"answered\": \([0-9]*\)/\"answered\": $((1700000000000 + ${3/null/0}))/"
}
take() { line "$1" "$2" "$3" "$5" "\"SET\", \"L\", \"$4\", \"NX\", \"PX\", \"60\""; }
give() { line "$1" "$2" "$3" "$5" "\"EVALSHA\", \"$sha\", \"1\", \"L\", \"$4\""; }
ok='"OK"'
said() { tr -s ' \n' ' ' < "$out" | grep -qF -- "$1"; }       # whatever line it is broken into

# B's answer came first and stands first in the log, but A has to have been first.
{ take B 5 20 b null; take A 0 30 a "$ok"; give A 40 50 a 1; take B 41 60 b "$ok"; give B 70 80 b 1; } > order.json
run trace order.json --lock table.lua
ends 0 "lines in whatever order"
check "an order is found" said "5 requests of clients' own logs; an order was found that explains all answers"
check "all answers are ours" out_has "0 differ"

# A's request has to have been executed late in its window, or its lease would have ended before C was refused.
{ take A 0 100 a "$ok"; take C 150 151 c null; give A 152 153 a 1; } > late.json
run trace late.json --lock table.lua
check "an instant within the window is found, too" said "an order was found that explains all answers"
sed 's/0000, "answered": 1700000000100/0000, "answered": 1700000000080/' late.json > early.json
run trace early.json --lock table.lua
ends 2 "but not where the window ends too early"
check "that is told with the line" said "no order was found that explains the answer of line"

# A release without an answer is executed if the answers need it, and not if they don't.
{ take A 0 10 a "$ok"; give A 20 null a 1; take B 25 30 b "$ok"; } > lost.json
run trace lost.json --lock table.lua
check "a request without an answer explains the next one" said "1 without an answer, of which 1 are taken as executed"
{ take A 0 10 a "$ok"; give A 20 null a 1; take B 25 30 b null; } > lost.json
run trace lost.json --lock table.lua
check "or did not come" said "an order was found that explains all answers"
check "it is taken as executed only where it is needed" said "1 without an answer, of which 0 are taken as executed"

# Two are granted, and no order makes both right.
{ take A 0 10 a "$ok"; take B 20 30 b "$ok"; give A 40 41 a 1; } > two.json
run trace two.json --lock table.lua
ends 2 "answers that no order explains"
check "the difference is told" out_has 'The log has the answer "OK", our server the answer nil.'
check "and in the document" bash -c "'$LOCKSIM' trace two.json --lock table.lua --format json | grep -q '\"unexplained\": 1'"

# LK002: another one is let in within the lease that the first one counts.
remove() { line "$1" "$2" "$3" "$4" '"DEL", "L"'; }
{ take A 0 10 a "$ok"; remove X 20 21 1; take B 30 32 b "$ok"; give A 50 51 a 0; give B 55 56 b 1; } > believe.json
run trace believe.json --lock table.lua
ends 1 "two who believe that they hold"
check "LK002 is judged" out_has "LK002 strict_mutual_exclusion"
check "from when to when" out_has 'a and b both believed that they hold "L" from 0.032 s to 0.050 s.'
check "and not called unjudged" out_lacks "LK002, whether two clients believed"
{ take A 0 10 a "$ok"; remove X 20 21 1; take B 30 32 b "$ok"; give A 31 51 a 0; give B 55 56 b 1; } > good.json
run trace good.json --lock table.lua
check "a client that sends its release before does not believe any more" out_lacks "LK002 strict_mutual_exclusion  "
{ take A 0 10 a "$ok"; remove X 20 21 1; take B 30 32 b "$ok"; give A 90 91 a 0; give B 95 96 b 0; } > counts.json
run trace counts.json --lock table.lua
check "who releases late believed as long as its lease" said 'and its lease, counted from its request, ended at 0.060 s;'

# A client may count its lease itself, as Redlock's do, and let its release go much later: the log does not tell.
{ take A 0 10 a "$ok"; take B 80 82 b "$ok"; give A 90 91 a 0; give B 95 96 b 1; } > validity.json
run trace validity.json --lock table.lua
ends 0 "a release after the end of the lease is no proof of a belief"
check "that both may have believed is a warning" said "b was granted it meanwhile, in line 2: for some time both may"

# What cannot be searched.
{ take A 0 10 a "$ok"; echo '{"client": "B", "sent": 1700000000020, "answered": 1700000000030, "answer": null, "words": ["BLPOP", "L", "1"]}'; } > pop.json
run trace pop.json --lock table.lua
check "a pop that waits is not searched for" said "2 about keys of a waiting pop"
echo '{"client": "B", "sent": 1700000000020, "answered": 1700000000010, "answer": null, "words": ["GET", "L"]}' >> order.json
run trace order.json --lock table.lua
check "an answer before its request is told" out_has "line 6: it was answered before it was sent"
run trace believe.json --lock table.lua --to-scenario x.lua
ends 65 "--to-scenario of clients' own logs"

# A client whose renewal failed knows that it lost the lock, and may let the release go with it.
printf 'return { acquire = { "SET", "$lock", "$token", "NX", "PX", "$lease_ms" }, release = "give_back.lua", renew = "renew.lua",
  args = { release = { "$token" }, renew = { "$token", "$lease_ms" } }, granted = "OK", lease_ms = 60 }\n' > renewing.lua
printf "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0" > renew.lua
renewal=$(sha1sum < renew.lua | cut -d ' ' -f 1)
renew() { line "$1" "$2" "$3" "$5" "\"EVALSHA\", \"$renewal\", \"1\", \"L\", \"$4\", \"60\""; }
{ take A 0 10 a "$ok"; renew A 75 76 a 0; take B 80 82 b "$ok"; give A 90 91 a 0; give B 95 96 b 1; } > knows.json
run trace knows.json --lock renewing.lua
ends 0 "a renewal that failed ends a belief"
check "it is told when a lease ended" out_has "overrun"
sed 's/"sent": 1700000000075, "answered": 1700000000076/"sent": 1700000000085, "answered": 1700000000086/' knows.json |
    sort -t : -k 3 > late_renewal.json
run trace late_renewal.json --lock renewing.lua
ends 1 "until it was sent both believed"
check "from when to when" out_has 'a and b both believed that they hold "L" from 0.082 s to 0.085 s.'
check "and what a sent" said "a was told of its grant at 0.010 s and sent its renewal, which failed, at 0.085 s"
{ take A 0 10 a "$ok"; take B 70 72 b "$ok"; take A 75 76 a null; give A 90 91 a 0; give B 95 96 b 1; } > asks.json
run trace asks.json --lock renewing.lua
check "who asked for it again and was refused may have known" out_lacks "LK002 strict_mutual_exclusion  "

# The library's script in another text: it is a release for what it does.
{ take A 0 10 a "$ok"; line A 40 50 1 "\"EVAL\", \"return redis.call('DEL', KEYS[1])\", \"1\", \"L\", \"a\""; } > text.json
run trace text.json --lock table.lua
check "a release by another text ends a belief, too" said "of 1 hold"
