-- Any one answer is lost: Redis has done what its sender believes to have failed.
return {
  title   = "notes/reentrant: a lost answer, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter asks only every 30 s. In the very millisecond in which the lease ends it asks in vain, and has to wait 30 s more.
    prompt = { "violated", idle_ms = 30001 },
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "lose_reply" },
}
