-- One process dies and one freezes, each at any moment.
return {
  title   = "notes/fair: a crash and a pause, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { crash = 1, pause = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- Once the head of the queue is somebody who has gone, nobody else gets in any more.
    no_deadlock = "violated",
    -- Who died or gave up keeps its place in the queue. Once it is the head, nobody gets in any more.
    prompt = { "violated", idle_ms = 30001 },
    -- Nothing takes the dead, or those who gave up without an answer, out of the queue.
    no_leak = "violated",
  },
  must_see = { "crash", "pause" },
}
