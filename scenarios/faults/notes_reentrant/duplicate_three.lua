-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "notes/reentrant: a doubled request, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- The copy of an acquire can be executed after the release: it takes the lock for nobody, and a waiter asks only every 30 s.
    prompt = { "violated", idle_ms = 30001 },
    -- The copy of an acquire is a hold of which its owner hears nothing.
    matches_spec = "violated",
    -- The release as printed calls redis.publish, which no Redis has: it frees the lock, fails, and wakes nobody.
    script_health = "violated",
  },
  must_see = { "duplicate" },
}
