-- once.lua: the program of each client in this folder: take the lock, work inside for 100 ms, give it back.
local simple = require "simple.string"

return function(me)
  local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
  if lock:acquire() then
    me:work(100)
    lock:release()
  end
end
