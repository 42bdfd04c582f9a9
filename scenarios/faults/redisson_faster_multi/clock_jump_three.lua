-- One client's clock jumps at any moment.
return {
  title   = "redisson/faster_multi: a clock that jumps, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { clock_jump = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 30001 },
    -- A value runs out by the clock of whoever asks next: if that is ahead, he takes what its owner still works with.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    owner_only = "violated",
    -- Whose clock jumped takes what is another's, and is told that what it holds is over: nothing is given back.
    reentrancy = "violated",
    matches_spec = "violated",
    -- A value that is taken in the last millisecond of the group's life goes with it: no TTL is set then.
    lease_set = "violated",
  },
  must_see = { "clock_jump" },
}
