# ids.sh - clients' ids are random: an order by their bytes is noticed, in a story that can be replayed.

cp "$ROOT/tests/soundness/equal_scores.lua" queue.lua
run run --verbose queue.lua
check "the first in the queue may be anybody" out_has "fifo                     violated"
check "a result says that orders were searched" out_has "ids, which are random: all 6 orders were"
check "a story says in which order the ids lie" out_has "in another order than their names, ids="
check "it is saved with its order" grep -q '"ids=.*<.*"' .locksim/out/queue.LK020.lua
run replay .locksim/out/queue.LK020.lua
ends 1 "a story is replayed in its order"
check "which breaks it" out_has "FAIL  queue.lua   fifo  LK020"
sed '/"ids=/d' .locksim/out/queue.LK020.lua > named.lua
run replay named.lua
check "in the order of the names it breaks nothing" out_lacks "FAIL  queue.lua   fifo  LK020"
run run queue.lua --schedule "ids=B<A H.acquire"
check "an order that does not name each client is refused" out_has \
    "'ids=B<A' does not name each client of the scenario once"
