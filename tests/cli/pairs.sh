# pairs.sh - tests/pairs.sh says what a pair of faults breaks that neither of them breaks alone, and how far it looked.

pairs() {
    status=0
    (cd "$ROOT" && KINDS=$1 STATES=$2 timeout 60 tests/pairs.sh "${@:3}") > "$out" 2> "$err" || status=$?
}

# An acquire whose answer is lost is sent again, and its copies count: with two of them one unlock leaves the lock for
# more than a lease.
pairs "lose_reply" 20000 redisson_lock_replicated
ends 0 "a replicated lock"
check "a pair that breaks more" out_has "| redisson_lock_replicated | lose_reply twice | 013 |"
check "how many pairs" out_has "1 pairs of faults and a lock: 1 break more"
check "all was searched" out_has "; 0 have more than 20000 states"

pairs "crash failover" 20000 basic_set_nx
ends 0 "SET NX PX"
check "nothing more breaks" out_has "3 pairs of faults and a lock: 0 break more"
check "only the table's head is printed" out_lacks "basic_set_nx"

pairs "crash pause" 40 basic_set_nx
check "what was not searched whole is said" out_has "; 3 have more than 40 states"

pairs "crash" 100 no_such_lock
check "a lock that there is not fails" status_is 64
pairs "crahs" 100 basic_set_nx
check "a fault that there is not fails" status_is 64
check "it is named" err_has "no fault 'crahs'"
