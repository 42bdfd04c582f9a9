-- Each waiter's deadline contains the slots of those before it. A waiter that gave up did not give its slot back: with
-- every short wait that fails the deadlines move 5 s further away, and a head of the queue that dies blocks a free
-- lock until its own deadline has come.
local redisson = require "redisson.fair"

return {
  title   = "R01: a waiter that gives up leaves its slot behind",
  exhibit = { bug = "#1104", library = "Redisson", versions = "3.2.4 to 3.5.4",
              what = "deadlines drift away while waiters come and go" },
  clients = { "A", { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 4000, slot_ms = 5000 })
    local got = lock:try_acquire(1000) or lock:try_acquire(1000) or lock:acquire()      -- patient only in the end
    if got then
      me:work(me.client == "A" and 2500 or 10)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "B" } },
  expect  = {
    prompt = { "violated", idle_ms = 12000 },
    no_busy_wait = "violated",
  },
  must_see = { "crash", "wait" },
  patch   = {
    ["redisson/fair/abandon.lua"] = [[
-- abandon.lua: leave the queue of the fair lock after a wait that failed (Redisson 3.2.4 to 3.5.4).
-- KEYS  1 queue, 2 deadlines      ARGV  1 owner, 2 the longest wait in milliseconds
-- Returns nothing. No waiter moves up: those behind keep deadlines that contain the wait of the one that left.
local queue, deadlines = KEYS[1], KEYS[2]
local owner = ARGV[1]
redis.call('zrem', deadlines, owner)
redis.call('lrem', queue, 0, owner)
]],
    ["redisson/slot.lua"] = [[
-- slot.lua: how long a waiter of the fair lock may stand in its queue: 5 s, whatever the caller's wait.
local M = {}

local slot_ms = 5000

function M.of_acquire()
  return slot_ms
end
M.of_abandon = M.of_acquire

return M
]],
  },

  -- The twin of R01: a waiter that gives up takes its slot with it, and a slot is as long as the wait.
  twin = {
    title   = "R01 mended: deadlines do not drift",
    expect  = {
      prompt = { "holds", idle_ms = 12000 },
      -- Open to this day, and an exhibit of its own: H09.
      no_busy_wait = "violated",
    },
    patch   = {},
  },
}
