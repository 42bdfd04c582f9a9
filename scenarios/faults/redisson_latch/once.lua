-- once.lua: A sets the latch to the number of workers and waits for them; each worker comes 10 ms later, works for 100 ms and counts down.
local redisson = require "redisson.latch"

return function(workers)
  return function(me)
    local done = redisson.latch(me, "done")
    if me.client == "A" then
      if done:try_set_count(workers) then
        done:await()
      end
    else
      me:work(100)
      done:count_down()
    end
  end
end
