-- One waiting thread is interrupted, at any moment.
return {
  title    = "basic/confirmed: an interrupt, two clients",
  replicas = 1,
  clients  = { "A", "B" },
  program  = require "once",
  faults   = { interrupt = 1 },
  expect   = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2501 },
  },
  must_see = { "interrupt" },
}
