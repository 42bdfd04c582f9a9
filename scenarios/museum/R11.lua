-- The holder of the write lock asks for the read lock, too. It was refused like every other client, so it waits for
-- itself, and its watchdog renews what it waits for.
local redisson = require "redisson.read_write"

return {
  title   = "R11: a writer cannot take the read lock",
  exhibit = { bug = "#758", library = "Redisson", versions = "before 3.2.4",
              what = "a writer that also wants to read waits for itself" },
  clients = { "A", "B" },
  program = function(me)
    local write, read = redisson.write(me, "order:42"), redisson.read(me, "order:42")
    write:acquire()
    read:acquire()
    me:work(100)
    read:release()
    write:release()
  end,
  expect  = {
    no_deadlock = "violated",
    -- It holds the lock, and is told that it has to wait.
    reentrancy = "violated",
    matches_spec = "violated",
  },
  must_see = { "grant" },
  patch   = {
    ["redisson/read_write/acquire_read.lua"] = [[
-- acquire_read.lua: take the read lock, alone or beside other readers, or learn how long to wait: a writer too
-- (Redisson before 3.2.4).
-- KEYS  1 lock (hash: mode -> read or write, reader -> holds, "writer:write" -> holds), 2 prefix of the reader's own
-- timeout keys
-- ARGV  1 lease in milliseconds, 2 reader; 3, the same thread's name as a writer, is not looked at
-- Returns nil when the lock is ours; otherwise the milliseconds left.
-- Each hold has a key of its own that lives as long as its lease: release_read.lua finds out by them how long the
-- others need the hash.
local lock, timeouts = KEYS[1], KEYS[2]
local lease_ms, reader = ARGV[1], ARGV[2]
local mode = redis.call('hget', lock, 'mode')
if mode == false then
  redis.call('hset', lock, 'mode', 'read')
  redis.call('hset', lock, reader, 1)
  redis.call('set', timeouts .. ':1', 1)
  redis.call('pexpire', timeouts .. ':1', lease_ms)
  redis.call('pexpire', lock, lease_ms)
  return nil
end
if mode == 'read' then
  local hold = timeouts .. ':' .. redis.call('hincrby', lock, reader, 1)
  redis.call('set', hold, 1)
  redis.call('pexpire', hold, lease_ms)
  -- The hash must outlive the longest lease of all holders.
  redis.call('pexpire', lock, math.max(redis.call('pttl', lock), lease_ms))
  return nil
end
return redis.call('pttl', lock)
]],
  },

  -- The twin of R11: since 3.2.4 a writer may read, too.
  twin = {
    title   = "R11 mended: a writer may read",
    expect  = {
      no_deadlock = "holds",
      reentrancy = "holds",
      -- The readers' timeout keys are not among the scripts' KEYS.
      script_health = "violated",
      matches_spec = false,
    },
    must_see = { "grant", "wait" },
    patch   = {},
  },
}
