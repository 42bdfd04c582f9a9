-- trySetCount() of Redisson's count-down latch is sent again when no answer comes. If the first one was executed, and
-- all clients have counted down before the second one comes, the latch is gone by then, and the second sets the whole
-- count again. A waiter now waits for workers that are done.
--
-- How likely: an answer that takes longer than 3 s, and work that is done within the same 4 s. The mend: send it once,
-- as countDown(). Checked against redisson 4.7.0 by reading (RedissonCountDownLatch, a with-retry script) and by
-- traces of scripts of that kind (lock_30, permits_06).
local redisson = require "redisson.latch"

local function program(me)
  local done = redisson.latch(me, "done")
  if me.client == "A" then
    done:try_set_count(1)
    done:await()
  else
    me:work(100)
    done:count_down()
  end
end

return {
  title   = "a count that is set a second time",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = program,
  faults  = { lose_reply = { 1, of = "A" } },
  expect  = { no_deadlock = "violated" },
  must_see = { "lose_reply" },

  -- The same with our mend: what is not answered is not sent again.
  twin = {
    title   = "a count that is set once",
    expect  = { no_deadlock = "holds" },
    patch   = {
      ["redisson/latch.lua"] = [[
@@
 function Latch:try_set_count(count)
-  local reply, problem = insist(self, "set_count", set_count, { new_count_message, count, publish })
+  local reply, problem = send(self, "set_count", set_count, { new_count_message, count, publish })
   if problem then
]],
    },
  },
}
