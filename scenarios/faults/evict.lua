-- Redis runs out of memory and throws the lock's key away: the lock is free while its holder works.
local simple = require "simple.string"

return {
  title   = "fault evict: the lock's key vanishes",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 10 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { evict = 1 },
  expect  = {
    -- B finds no key and takes the lock; A notices when its release answers that it owns nothing.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "evict" },
}
