-- once.lua: the program of each client in this folder: take two accounts of a group at once, work for 100 ms, give them back.
local redisson = require "redisson.faster_multi"

return function(me)
  local accounts = redisson.lock(me, "accounts", { "1", "2" })
  if accounts:acquire() then
    me:work(100)
    accounts:release()
  end
end
