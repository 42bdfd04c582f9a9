-- A client whose server has replicas sends a script again when no answer comes, and until 3.24.0 an unlock did not know that it had run
-- before. The inner unlock's answer is lost, its second run takes the outer hold too, and another client works beside the first.
local redisson = require "redisson.lock"

return {
  title    = "an unlock that is sent again counts twice",
  exhibit  = { bug = "#4871", library = "Redisson", versions = "before 3.24.0", what = "an unlock that is sent again counts twice",
               twin = "R31a_mended.lua" },
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000, replicas = 1 })
    lock:acquire()
    if me.client == "A" then
      lock:acquire()
      lock:release()
    end
    me:work(100)
    lock:release()
  end,
  faults   = { lose_reply = { 1, of = "A" } },
  expect   = {
    mutual_exclusion = "violated",
    matches_spec = "violated",                   -- an acquire that is sent again counts twice, too: to this day
  },
  must_see = { "resend" },
}
