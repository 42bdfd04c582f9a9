-- twice.lua: the program of each of three clients in this folder: ask for the lock, and once more when a lease has passed; whoever gets it
-- works inside for 100 ms and gives it back.
local driver = require("redlock.redlock").over(3)

return function(me)
  local lock = driver.lock(me, "order:42", { lease_ms = 1000, retry_ms = 1100 })
  if lock:try_acquire(1100) then
    me:work(100)
    lock:release()
  end
end
