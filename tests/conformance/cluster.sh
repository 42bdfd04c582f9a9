#!/bin/bash
# cluster.sh - two nodes of a real cluster beside `locksim shell --cluster`: what a client is answered, and what it sees
# while a slot moves.
# Usage: cluster.sh          $SERVER as for server.sh. Its last line is `N passed, N failed`.
#
# Node A owns the slot of {x}, node B all others. The first commands are asked of A and of locksim, which must answer
# alike: there a slot other than that of a script's keys is on another node. Then the slot of {x} moves, and what the
# fault move_slot tells is asked of A and B.
set -u
binary=${SERVER:-$(command -v redis-server || command -v redis-check-rdb)} ||
    { echo "cluster.sh: no redis-server here" >&2; exit 1; }
LOCKSIM=${LOCKSIM:-${BUILD:-build}/locksim}
dir=$(mktemp -d /tmp/locksim-cluster.XXXXXX) || exit 1
nodes=()
trap 'kill -KILL "${nodes[@]}" 2> /dev/null; wait 2> /dev/null; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP
passed=0 failed=0
ln -s "$binary" "$dir/redis-server" || exit 1

wait_until() {
    local tries=0
    until "$@" > /dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -le 1200 ] || { echo "cluster.sh: not in a minute: $*" >&2; exit 1; }
        sleep 0.05
    done
}
a() { redis-cli -p "$port_a" "$@"; }
b() { redis-cli -p "$port_b" "$@"; }
# A port that is taken is tried no more; the nodes talk at a port 10000 above.
start() {
    local node=$1 port
    for _ in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 20000))
        mkdir -p "$dir/$port"
        LC_ALL=C "$dir/redis-server" --port "$port" --cluster-enabled yes --cluster-require-full-coverage no --save '' \
            --appendonly no \
            --dir "$dir/$port" > "$dir/$port/log" 2>&1 &
        nodes+=($!)
        eval "port_$node=$port"
        sleep 0.3
        kill -0 $! 2> /dev/null && { wait_until redis-cli -p "$port" ping; return; }
    done
    cat "$dir/$port/log" >&2
    exit 1
}
check() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'cluster: %s\n  one   %s\n  other %s\n' "$1" "$2" "$3"
    fi
}

start a
start b
slot=$(a cluster keyslot x)
a cluster addslots "$slot" > /dev/null
b cluster addslotsrange 0 $((slot - 1)) $((slot + 1)) 16383 > /dev/null
a cluster meet 127.0.0.1 "$port_b" > /dev/null
knows() { "$1" cluster info | grep -q '^cluster_state:ok' && [ "$("$1" cluster slots | grep -c "$port_a")" -ge 1 ] &&
    [ "$("$1" cluster slots | grep -c "$port_b")" -ge 1 ]; }
wait_until knows a
wait_until knows b

# ---- the same words ----
# No script in a transaction: Valkey 9.1.2 refuses it even the keys that it was given, as not local.
cat > "$dir/commands" <<'X'
set {x}1 v
cluster keyslot {x}1
cluster keyslot b
mset {x}1 1 {x}2 2
mset {x}1 1 b 2
del {x}1 b
get {x}2
eval "return 1" 2 {x}1 b
eval "return +" 2 {x}1 b
evalsha 0000000000000000000000000000000000000000 2 {x}1 b
eval "return 1" x {x}1 b
eval "return redis.call('get', KEYS[1])" 1 {x}2
eval "return redis.call('get', '{x}2')" 1 {x}1
eval "return redis.call('get', 'b')" 1 {x}1
eval "return redis.pcall('mget', '{x}1', 'b')" 1 {x}1
eval "return redis.pcall('get', 'b')" 0
eval "return redis.pcall('nosuch', 'b')" 1 {x}1
eval "return redis.pcall('get')" 1 {x}1
eval "return redis.pcall('time')[3]" 1 {x}1
eval "#!lua\nreturn redis.pcall('get', 'b')" 1 {x}1
eval "#!lua flags=allow-cross-slot-keys\nreturn redis.pcall('get', 'b')" 1 {x}1
eval "#!lua flags=no-cluster\nreturn 1" 1 {x}1
eval_ro "return redis.pcall('set', 'b', 1)" 1 {x}1
function load "#!lua name=l\nredis.register_function('f', function(keys) return redis.pcall('get', 'b') end)"
fcall f 1 {x}1
fcall f 2 {x}1 b
fcall nosuch 2 {x}1 b
multi
set {x}1 1
mset {x}1 1 b 2
exec
multi
set {x}1 1
get {x}1
exec
select 0
X
release=$(a info server | tr -d '\r' | sed -n 's/^valkey_version:/valkey /p')
release=${release:-redis $(a info server | tr -d '\r' | sed -n 's/^redis_version://p')}
dialect=$(echo "$release" | cut -d. -f1,2)
redis-cli --no-raw -p "$port_a" < "$dir/commands" > "$dir/real" 2>&1
"$LOCKSIM" shell --cluster --dialect "$dialect" "$dir/commands" > "$dir/ours" 2> /dev/null
[ -z "${SHOW:-}" ] || paste -d"\n" "$dir/real" "$dir/ours" >&2
check "as many answers" "$(wc -l < "$dir/real")" "$(wc -l < "$dir/ours")"
while IFS= read -r -u 3 one && IFS= read -r -u 4 other; do
    check "an answer" "$one" "$other"
done 3< "$dir/real" 4< "$dir/ours"

# ---- a slot that moves: tests/unit/test_redis_cluster.c has the same answers ----
sha=$(a script load 'return 1')
id_a=$(a cluster myid) id_b=$(b cluster myid)
b cluster setslot "$slot" importing "$id_a" > /dev/null
a cluster setslot "$slot" migrating "$id_b" > /dev/null
asking() { printf '%s\n' asking "$1" | redis-cli -p "$port_b" | sed -n 2p; }
ask="ASK $slot 127.0.0.1:$port_b" again="TRYAGAIN Multiple keys request during rehashing of slot"
noscript=$(b evalsha "$sha" 0 | head -n 1)
check "a key that is still here" "1" "$(a get '{x}1')"
check "a key that is not here is there, if anywhere" "$ask" "$(a get '{x}there' | head -n 1)"
check "one key is served there" "OK" "$(asking 'set {x}there v')"
check "one key here and one there" "$again" "$(a eval 'return 1' 2 '{x}1' '{x}there' | head -n 1)"
check "two keys that are still here" "1" "$(a eval 'return 1' 2 '{x}1' '{x}2')"
check "two keys that are not here" "$ask" "$(a eval 'return 1' 2 '{x}there' '{x}nowhere' | head -n 1)"
check "one of them nowhere yet" "$again" "$(asking "evalsha $sha 2 {x}there {x}nowhere")"
check "the same key twice is one" "$ask" "$(a eval 'return 1' 2 '{x}there' '{x}there' | head -n 1)"
check "the next node does not know the script" "$noscript" "$(asking "evalsha $sha 1 {x}there")"
check "and says so" "NOSCRIPT" "${noscript%% *}"
a del '{x}1' '{x}2' > /dev/null
a cluster setslot "$slot" node "$id_b" > /dev/null
check "afterwards it has moved" "MOVED $slot 127.0.0.1:$port_b" "$(a get '{x}there' | head -n 1)"
echo "cluster: compared with $release"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
