-- The last release of a process forgets what was to be renewed, but not the timer that would do it. A thread that
-- locks before that timer comes starts another one, and from then on both run, each every ten seconds, for as long as
-- they find anything to renew. A process that locks and releases a hundred times in ten seconds and then holds a lock
-- renews it a hundred times every ten seconds: no promise is broken, but the server runs a hundred scripts for one.
--
-- How likely: certain, for each process that uses locks more often than every ten seconds and now and then holds one
-- for longer. The mend: a timer that finds another one in its place ends (the twin). Renewals are counted by a mark
-- that a patch of the script leaves for five seconds, in both cases. Checked against redisson 4.7.0 by a trace of the
-- real client (tests/recordings/clients, lock_32: three holds, and from then on renewals at 10, 12, 14, 20, 22, 24 s).
local redisson = require "redisson.lock"

local marked = [[
@@
 local renewed = {}
+redis.call('SET', 'redisson_unlock_latch:{order:42}:renewal:' .. redis.call('TIME')[1], 1, 'PX', 5000)
]]

local function renewals(view)
  local count = 0
  for _, key in ipairs(view.keys) do
    count = count + (key:find(":renewal:", 1, true) and 1 or 0)
  end
  return count
end

return {
  title   = "renewal timers multiply",
  clients = { { "A", start_ms = 0 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    for _ = 1, 2 do
      lock:acquire()
      me:work(1000)
      lock:release()
      me:sleep(1000)
    end
    lock:acquire()
    me:work(25000)
    lock:release()
  end,
  -- One renewal every ten seconds is enough for one lock.
  always  = function(view)
    return renewals(view) < 2, "two renewals within five seconds"
  end,
  expect  = {
    always = "violated",
    -- The mark is no key of the script's.
    script_health = "violated",
  },
  patch   = { ["redisson/lock/renew.lua"] = marked },

  -- The same with our mend: of two timers one ends.
  twin = {
    title   = "one timer renews",
    expect  = { always = "holds", script_health = "violated" },
    patch   = {
      ["redisson/lock/renew.lua"] = marked,
      ["redisson/renewal.lua"] = [[
@@
   if state.running == nil then
-    state.running = true
+    local mine = {}
+    state.running = mine
     me:spawn("watchdog", function(task)
       repeat
         task:sleep(round_ms)
-      until not task:atomic(round, kind, task, state)
+      until state.running ~= mine or task:atomic(round, kind, task, state) ~= mine
     end, { daemon = true })
]],
    },
  },
}
