-- libraries_py.lua: what libraries.py does, kind by kind, by redis-py's driver: the programs are held against it.
local redis_py = require "redis_py.lock"

local function two_rounds(use)
  return { program = function(me)
    for _ = 1, 2 do
      use(me, redis_py.lock(me, "order:42", { lease_ms = 1000, retry_ms = 250 }))
    end
  end }
end

return {
  title   = "libraries.py",
  clients = { "A", "B" },
  cases = {
    extended = two_rounds(function(me, lock)
      lock:acquire()
      me:work(500)
      lock:extend(700)
      me:work(500)
      lock:extend(2000, true)
      me:work(500)
      lock:release()
    end),
    reacquired = two_rounds(function(me, lock)
      lock:acquire()
      me:work(500)
      lock:reacquire()
      lock:owned()
      me:work(800)
      lock:release()
    end),
    impatient = two_rounds(function(me, lock)
      if lock:try_acquire(600) then
        me:work(1200)
        lock:release()
      else
        lock:locked()
        me:sleep(300)
      end
    end),
  },
}
