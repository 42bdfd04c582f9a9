-- A client cleans up by hand after a process that died: forceUnlock() of Redisson's faster multi-lock, for all of the
-- values that it may have had. The script joins each value's owner to a name, and a free value's is false: at the first
-- value that is free it ends in an error. The values before it are taken away all the same, and the message that would
-- wake the waiters is never sent: B sleeps on beside a value that is free, until the dead one's time would have
-- been over. (Where all are held it answers how many there were, and its caller reads 2 as "no".)
--
-- How likely: certain, for each forceUnlock() of values that are not all held. The mend: pass over the free values
-- (the twin). Checked against redisson 4.7.0 by recordings of its script (faster_multi.force_release).
local redisson = require "redisson.faster_multi"

return {
  title   = "forceUnlock() of a free value stops half way",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 }, { "C", start_ms = 5000 } },
  program = function(me)
    if me.client == "C" then
      redisson.lock(me, "accounts", { "1", "2" }):force_release()
      return
    end
    local account = redisson.lock(me, "accounts", { "1" })
    if account:acquire() then
      me:work(me.client == "A" and 1000 or 100)
      account:release()
    end
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = { script_health = "violated", prompt = { "violated", idle_ms = 6000 } },
  must_see = { "wait", "crash" },

  -- The same with our mend: free values are passed over.
  twin = {
    title   = "forceUnlock() takes the held values, and says so",
    expect  = { script_health = "holds", prompt = { "holds", idle_ms = 6000 } },
    patch   = {
      ["redisson/faster_multi/force_release.lua"] = [[
@@
   local owner = redis.call('hget', group, ARGV[i])
-  local hold = ARGV[i] .. ':' .. owner  -- locksim: allow LS010 as Redisson has it
+  local hold = ARGV[i] .. ':' .. (owner or '')
   taken = taken + redis.call('hdel', group, ARGV[i])
]],
    },
  },
}
