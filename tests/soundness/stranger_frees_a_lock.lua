-- truth: mutual_exclusion (LK001) violated (a force_release by anybody whom the scenario does not name as an operator)
local redisson = require "redisson.lock"
return {
  title   = "a stranger frees a lock that a client holds",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.client == "B" then
      lock:force_release()
    elseif lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
}
