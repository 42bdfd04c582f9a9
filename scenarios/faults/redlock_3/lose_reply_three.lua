-- Any one answer is lost: the request was executed, and its sender does not know.
return {
  title   = "redlock of three: a lost answer, three clients",
  servers = 3,
  clients = { "A", "B", "C" },
  program = require "twice",
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 2401 },
  },
  must_see = { "lose_reply" },
}
