-- The server's clock is set ahead: by it the lease has ended, and the lock is free while its holder works.
local simple = require "simple.string"

return {
  title   = "fault server_clock_jump: a server's clock jumps",
  clients = { "A", { "B", start_ms = 10 } },
  start_ms = 0,                        -- all at once, as in the other files here
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 10 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { server_clock_jump = { 1, ms = 600000 } },
  expect  = {
    -- The key expires at once; B takes the lock. A notices when its release answers that it owns nothing.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "server_clock_jump" },
  cases    = {
    ahead = {},
    -- A clock that is set back only makes the lease longer; a holder that releases in time notices nothing.
    back = {
      faults = { server_clock_jump = { 1, ms = -600000 } },
      expect = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
    },
  },
}
