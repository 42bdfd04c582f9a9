-- truth: holds, everything judged by default (the holder's own process frees its lock: by consent)
local redisson = require "redisson.lock"
return {
  title   = "a thread frees the lock of another thread of its process",
  clients = { { "A", threads = 3 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if me.id == "A:2" then
      lock:force_release()
    elseif lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
}
