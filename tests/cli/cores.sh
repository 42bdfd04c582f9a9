# cores.sh - how many cores a search uses is to be seen in nothing that it says: whole, broken, cut by a limit, beside
# other scenarios.

cat > wide.lua <<'Z'
local take, give = script "simple/counted/acquire.lua", script "simple/counted/release.lua"
return { title = "a wide world", clients = { "A", "BB", "CCC", "DDDD", "EEEEE", "FFFFFF" }, faults = { evict = 1 }, program = function(me)
  for _ = 1, 3 do
    while me:eval(take, { "l" }, { me.id, 0 }, { op = "take" }) == 0 do end
    me:step()
    me:eval(give, { "l" }, { me.id }, { op = "give" })
  end
end }
Z
cat > broken.lua <<'Z'
return { title = "a lock that anybody frees", clients = { "A", "B", "C" }, expect = { mutual_exclusion = "holds" },
  program = function(me)
    for _ = 1, 2 do
      me:wants("l")
      if me:call("SET", "l", me.id, "NX") then me:granted("l", { lease = 50 }) else me:refused("l") end
      me:step()
      me:call("DEL", "l")
      me:released("l")
    end
  end }
Z
same() {    # WHAT OPTION...: the same bytes from one core, two and four
    local what=$1 cores
    shift
    run run "$@" --pinned --jobs 1
    cp "$out" alone
    for cores in 2 4; do
        run run "$@" --pinned --jobs $cores
        check "$what: $cores cores say what one says" cmp -s alone "$out"
    done
}
same "a whole world" wide.lua --verbose
check "it is large enough to be shared" [ "$(sed -n 's/.*exhaustive: \([0-9]*\),\([0-9]*\) states.*/\1\2/p' alone)" -gt 30000 ]
same "a limit of states" wide.lua --max-states 29000 --format json
same "what breaks" broken.lua --verbose
check "it breaks" grep -q "^FAIL" alone
same "several files" wide.lua broken.lua --max-states 25000
run run broken.lua --pinned --jobs 64
ends 1 "more jobs than cores"
run run broken.lua --pinned --timing
check "the work is told with --timing" out_has "Lua really run: "
