-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title   = "redlock of five: a lost answer, three clients",
  servers = 5,
  clients = { "A", "B", { "C", start_ms = 10 } },
  program = require "once",
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "lose_reply" },
}
