-- One waiting thread is interrupted, at any moment.
return {
  title   = "redisson/red_lock: an interrupt, three clients",
  servers = 3,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once" (),
  faults  = { interrupt = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- An interrupt while one lock is asked for counts as its refusal. If the script takes it all the same, the watchdog renews it
    -- for ever.
    no_leak = "violated",
  },
  must_see = { "interrupt" },
}
