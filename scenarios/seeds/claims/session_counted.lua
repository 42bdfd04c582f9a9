-- Seed 002's second terminal session: the reentrant lock answers 1, 0, 1, 1, 1, 1. Confirmed.
local acquire = script "simple/counted/acquire.lua"
local release = script "simple/counted/release.lua"

return {
  title   = "claim of seed 002: the session with the reentrant lock",
  clients = { "A" },
  program = function(me)
    local lock = { "dist_lock" }
    assert(me:eval(acquire, lock, { "111111" }, { op = "ask" }) == 1)      -- client 111111 takes it
    assert(me:eval(acquire, lock, { "222222" }, { op = "ask" }) == 0)      -- client 222222 fails
    assert(me:eval(acquire, lock, { "111111" }, { op = "ask" }) == 1)      -- 111111 takes it again
    assert(me:eval(release, lock, { "111111" }) == 1)
    assert(me:eval(release, lock, { "111111" }) == 1)
    assert(me:eval(acquire, lock, { "222222" }, { op = "ask" }) == 1)
  end,
}
