-- A reader dies, and another one reads on. His watchdog renewed the keys of all holds in the hash, those of the dead, too: when he
-- unlocked, the dead was still there for a whole lease. With readers that follow each other a writer never gets in.
local redisson = require "redisson.read_write"

return {
  title   = "R19: the living keep a dead reader's hold alive",
  exhibit = { bug = "#1458, PR #7098", library = "Redisson", versions = "before 4.4.0",
              what = "a dead reader's hold is renewed by the living", twin = "R19_mended.lua" },
  clients = { "A", { "B", start_ms = 10000 }, { "C", start_ms = 20000 } },
  program = function(me)
    local lock = redisson[me.client == "C" and "write" or "read"](me, "order:42")
    lock:acquire()
    me:work(me.client == "B" and 55000 or 100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = {
    prompt = { "violated", idle_ms = 1000 },
    -- The readers' timeout keys are not among the scripts' KEYS, in any version.
    script_health = "violated",
  },
  must_see = { "crash", "renewal", "wait" },
}
