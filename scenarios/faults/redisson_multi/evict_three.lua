-- Any one key vanishes at any moment.
return {
  title   = "redisson/multi: an eviction, three clients",
  servers = 2,
  clients = { "A", "B", "C" },
  program = require "once" (),
  faults  = { evict = 1 },
  expect  = {
    prompt = { "holds", idle_ms = 30001 },
    -- One of the locks is gone at its server while its holder works: whoever comes next gets it, and with it all of them.
    strict_mutual_exclusion = "violated",
    mutual_exclusion = "violated",
    -- unlock stops at the first lock that says no; those after it stay, and their watchdog renews them.
    no_leak = "violated",
    -- A lock that was taken first may be gone by the time the last one is taken. Nobody looks: the caller is told that he has them
    -- all.
    matches_spec = "violated",
  },
  must_see = { "evict" },
}
