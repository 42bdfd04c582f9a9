-- truth: holds, everything judged by default (the operator is named; without it LK001 breaks)
local redisson = require "redisson.lock"
return {
  title   = "an operator frees a lock that a client holds",
  clients = { "A", { "Console", operator = true }, "C" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.client == "Console" then
      lock:force_release()
    elseif lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
}
