# spill.sh - states in files instead of memory: the same result, and a full disk ends a search in order.

cat > wide.lua <<'Y'
local take, give = script "simple/counted/acquire.lua", script "simple/counted/release.lua"
return { title = "wide", start_ms = 0, clients = { "A", "B", "C", "D", "E", "F" }, faults = { evict = 1 }, program = function(me)
  for _ = 1, 3 do
    while me:eval(take, { "l" }, { me.id, 0 }, { op = "take" }) == 0 do end
    me:eval(take, { "l" }, { me.id, 0 }, { op = "take" })
    me:eval(give, { "l" }, { me.id })
    me:eval(give, { "l" }, { me.id })
  end
end }
Y

run run wide.lua --no-symmetry -v -j2
status_before=$status
cp "$out" whole
run run wide.lua --no-symmetry -v -j2 --spill . --max-memory 20M
ends "$status_before" "with less memory than its states take"
check "the result is the same" cmp -s "$out" <(sed '1s/ --no-symmetry/ --max-memory 20971520 --no-symmetry/' whole)
check "nothing is left in the folder" test -z "$(ls | grep '^locksim-')"
run run wide.lua --no-symmetry --max-memory 20M
ends 2 "without files the limit comes first"

run run wide.lua --spill nowhere
ends 64 "no such folder"
check "it is named" err_has "nowhere: error[usage]: cannot write: No such file or directory"

# A full disk: a file may be smaller than what the states are given at once.
(
    trap '' XFSZ
    ulimit -f 8000
    exec "$LOCKSIM" run wide.lua --no-symmetry --spill . -j1 > "$out" 2> "$err"
)
status=$?
ends 74 "a full disk"
check "it says what could not be written" err_has ".: error[io]: cannot write: File too large"
check "... once, with the way out" test "$(grep -c 'hint: the search ends with what it has found' "$err")" -eq 1
check "what was found is told" out_has "INCONCLUSIVE"
