-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title   = "basic/renewed: a lost answer, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 4001 },
  },
  must_see = { "lose_reply" },
}
