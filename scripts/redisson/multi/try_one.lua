-- try_one.lua: tryLock of one lock of a group: true or false. After no answer it is unlocked, for the script may have
-- run; after an interrupt it is not. flag: the interrupt flag of the thread; once it is set, the request is sent and
-- no thread waits for its answer.
local flags = require "redisson.client.flag"
local give_back = require "redisson.multi.give_back"

return function(lock, flag, await, lease_ms, counted_ms)
  local got, why = flags.on(lock, flag):try_acquire(await, lease_ms, counted_ms)
  if got == nil and why == "timeout" then
    give_back({ lock }, flag)
  end
  return got == true
end
