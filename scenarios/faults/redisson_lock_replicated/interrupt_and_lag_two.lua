-- A waiting thread is interrupted at any moment, while the replica lags or not: the library goes on with its attempts.
return {
  title    = "redisson/lock with a replica: an interrupt and a lag, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { lag = { 1, ms = 1500 }, interrupt = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    -- An interrupted acquire takes the lock all the same, and the watchdog renews it for as long as its process lives.
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 30001 },
    no_leak = "violated",
  },
  must_see = { "interrupt", "lag", "resend" },
}
