-- truth: holds, everything judged by default (a hash whose values are no numbers: when and where the lock was taken)
local generic = require "generic"
local lock = generic.lock {
  acquire = script.text([[
    if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
    redis.call('HSET', KEYS[1], ARGV[1], 'since 12:00')
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return 1
  ]]),
  release = script.text([[
    if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
    redis.call('DEL', KEYS[1])
    return 1
  ]]),
  granted = 1, lease_ms = 1000, holder = "hash field",
}
return {
  title   = "the holder is a field of a hash, and its value a text",
  clients = { "A", "B" },
  program = function(me)
    local mine = lock.lock(me, "order:42")
    if mine:acquire() then
      me:work(100)
      mine:release()
    end
  end,
}
