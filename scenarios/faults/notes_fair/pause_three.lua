-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title   = "notes/fair: a pause, three clients",
  -- 10 ms after each other: all at once there are several times as many states.
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = require "once",
  faults  = { pause = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Once the head of the queue is somebody who has gone, nobody else gets in any more.
    no_deadlock = "violated",
    -- Who died or gave up keeps its place in the queue. Once it is the head, nobody gets in any more.
    prompt = { "violated", idle_ms = 30001 },
    -- Nothing takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "pause" },
}
