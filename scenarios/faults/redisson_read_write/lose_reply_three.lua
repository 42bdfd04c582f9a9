-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title   = "redisson/read_write: a lost answer, three clients",
  clients = { "A", "B", "C" },
  program = require "once".one_writer,
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "lose_reply" },
}
