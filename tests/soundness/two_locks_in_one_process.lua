-- truth: holds, everything judged by default (each client has both locks, which have one name and different servers)
local redisson = require "redisson.lock"
return {
  title   = "one name on two servers, both held by one thread",
  servers = 2,
  clients = { "A", "B" },
  program = function(me)
    local first, second = redisson.lock(me:on(1), "order:42"), redisson.lock(me:on(2), "order:42")
    first:acquire()
    second:acquire()
    me:work(100)
    second:release()
    first:release()
  end,
}
