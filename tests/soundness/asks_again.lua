-- truth: holds, everything judged by default (an idempotent mutex: the owner who asks again is told yes, and has it once)
local generic = require "generic"
local lock = generic.lock {
  acquire = script.text([[
    local owner = redis.call('GET', KEYS[1])
    if owner and owner ~= ARGV[1] then return 0 end
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
    return 1
  ]]),
  release = script.text([[
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    redis.call('DEL', KEYS[1])
    return 1
  ]]),
  granted = 1, lease_ms = 1000, spec = "idempotent",
}
return {
  title   = "the owner asks again",
  clients = { "A", "B" },
  program = function(me)
    local mine = lock.lock(me, "order:42")
    if mine:acquire() and mine:acquire() then
      me:work(100)
      mine:release()
    end
  end,
}
