#!/bin/bash
# looks.sh - the calls of Redisson that only look (isLocked, getHoldCount, getCount, availablePermits...), and those that
# no trace of the real client has (addPermits, drainPermits, updateLeaseTime, delete), are expressed: traces that were
# written from its public sources, a command or script for each call. They are no recordings of the client, and lie
# nowhere else. The last line is `N passed, N failed`. Usage: tests/recordings/looks.sh     (from the root;
# $BUILD/tests/recordings is built)
set -u
programs=${BUILD:-build}/tests/recordings
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# Writes the trace of one thread whose rows stand on stdin, AT CALL TOLD REQUEST... each; a request is a JSON object
# without its time. Usage: trace NAME < ROWS
trace() {
    awk -v name="$1" '
        { at = $1; call = $2 " " $3; told = $4; rest = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ?/, "", rest)
          args = ""; if (match(rest, /^[a-z]+=[0-9]+( [a-z]+=[0-9]+)* /)) { args = " " substr(rest, 1, RLENGTH - 1); rest = substr(rest, RLENGTH + 1) }
          steps = steps (steps ? ", " : "") "\"" at " " call args "\""
          rows = rows ",\n{\"at_ms\":" at ",\"thread\":1,\"client\":\"C1\",\"call\":\"" call args "\"}"
          n = split(rest, requests, /  /)
          for (i = 1; i <= n; i++) rows = rows ",\n{\"at_ms\":" at ",\"client\":\"C1\",\"thread\":1," substr(requests[i], 2)
          rows = rows ",\n{\"at_ms\":" at ",\"thread\":1,\"client\":\"C1\",\"told\":" told "}" }
        END { printf "{\"library\":\"redisson\",\"release\":\"none: from its sources\",\n\"program\":{\"words\":\"%s\",\"threads\":[{\"thread\":1,\"client\":\"C1\",\"steps\":[%s]}],\"events\":[],\"fates\":[],\"settings\":[],\"random\":\"max\",\"end_ms\":5000},\n\"log\":[%s\n]}\n", name, steps, substr(rows, 2) }' \
        > "$work/$1.json"
}
met() {
    local out
    if out=$("$programs/clients" --meant tests/recordings/meant.tsv "$work/$1.json"); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "looks: $out"
    fi
}
again='"retry":true,"attempt":0'

trace lock <<< '0 isLocked lock:L false {"command":"EXISTS","args":["L"],'"$again"',"reply":0}
10 getHoldCount lock:L 0 {"command":"HGET","args":["L","C1:1"],'"$again"',"reply":null}
20 tryLock lock:L true lease=3000 {"script":"redisson/lock/acquire.lua","keys":["L"],"argv":["3000","C1:1"],"retry":false,"attempt":0,"reply":null}
30 isLocked lock:L true {"command":"EXISTS","args":["L"],'"$again"',"reply":1}
40 isHeldByCurrentThread lock:L true {"command":"HEXISTS","args":["L","C1:1"],'"$again"',"reply":1}
50 getHoldCount lock:L 1 {"command":"HGET","args":["L","C1:1"],'"$again"',"reply":"1"}
60 remainTimeToLive lock:L 2960 {"command":"PTTL","args":["L"],'"$again"',"reply":2960}
70 isExists lock:L true {"command":"EXISTS","args":["L"],'"$again"',"reply":1}
80 delete lock:L true {"script":"redisson/lock/force_release.lua","keys":["L","redisson_lock__channel:{L}"],"argv":["0","PUBLISH"],"retry":true,"attempt":0,"reply":1}'
met lock
trace write <<< '0 isLocked write:L false {"command":"HGET","args":["L","mode"],'"$again"',"reply":null}
10 getHoldCount write:L 0 {"command":"HGET","args":["L","C1:1:write"],'"$again"',"reply":null}
20 isHeldByCurrentThread read:L false {"command":"HEXISTS","args":["L","C1:1"],'"$again"',"reply":0}
30 remainTimeToLive read:L -2 {"command":"PTTL","args":["L"],'"$again"',"reply":-2}'
met write
trace permits <<< '0 trySetPermits permits:P true n=1 {"script":"redisson/semaphore/set_permits.lua","keys":["P","redisson_sc:{P}"],"argv":["1","PUBLISH"],"retry":true,"attempt":0,"reply":1}
10 tryAcquire permits:P "p1" lease=2000 {"script":"redisson/permits/acquire.lua","keys":["P","{P}:timeout","redisson_sc:{P}"],"argv":["1","now+2000","now","922337203685477","PUBLISH","p1"],"retry":false,"attempt":0,"reply":"OK"}
20 updateLeaseTime permits:P true lease=5000 {"script":"redisson/permits/update_lease.lua","keys":["P","{P}:timeout","redisson_sc:{P}"],"argv":["p1","now+5000","now","PUBLISH"],"retry":true,"attempt":0,"reply":1}'
met permits
trace latch <<< '0 getCount latch:X 0 {"command":"GET","args":["X"],'"$again"',"reply":null}
10 trySetCount latch:X true n=2 {"script":"redisson/latch/set_count.lua","keys":["X","redisson_countdownlatch__channel__{X}"],"argv":["1","2","PUBLISH"],"retry":true,"attempt":0,"reply":1}
20 getCount latch:X 2 {"command":"GET","args":["X"],'"$again"',"reply":"2"}
30 delete latch:X true {"script":"redisson/latch/delete.lua","keys":["X","redisson_countdownlatch__channel__{X}"],"argv":["1","PUBLISH"],"retry":true,"attempt":0,"reply":1}'
met latch
trace semaphore <<< '0 availablePermits sem:S 0 {"command":"GET","args":["S"],'"$again"',"reply":null}
10 trySetPermits sem:S true n=3 {"script":"redisson/semaphore/set_permits.lua","keys":["S","redisson_sc:{S}"],"argv":["3","PUBLISH"],"retry":true,"attempt":0,"reply":1}
20 availablePermits sem:S 3 {"command":"GET","args":["S"],'"$again"',"reply":"3"}
30 addPermits sem:S "returned" n=2 {"script":"redisson/semaphore/add_permits.lua","keys":["S","redisson_sc:{S}"],"argv":["2","PUBLISH"],"retry":true,"attempt":0,"reply":null}
40 drainPermits sem:S 5 {"script":"redisson/semaphore/drain.lua","keys":["S"],"argv":[],"retry":true,"attempt":0,"reply":5}'
met semaphore
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
