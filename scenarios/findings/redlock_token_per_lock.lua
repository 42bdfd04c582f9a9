-- A Redlock client that makes one random value for lock() and uses it in all of its tries. A try gets no majority, for
-- an answer was lost, and gives its votes back; one of those give-backs is slow, and its sender, which waits 50 ms for
-- each server, has long gone on. The next try gets a majority. Then the slow give-back comes, finds the value it looks
-- for, and deletes a vote of the new try. Two of three servers are free enough for the next client, and both work.
--
-- How likely: the algorithm wants time-outs far shorter than the lease, so that requests which outlive their senders
-- are everyday; it takes one more failure at the same time to make the first try fail. A busy lock over five servers
-- has the chance at each refused try. No library is meant, and node-redlock's clients cannot meet it as they come: who
-- waits for every give-back before it tries again has none that is slower than itself. The mend: a fresh value for
-- each try (scripts/redlock/token.lua): the twin.
local redlock = require("redlock.redlock").over(3)

return {
  title   = "Redlock: one value for all tries of an acquisition",
  servers = 3,
  clients = { "A", "B" },
  program = function(me)
    local lock = redlock.lock(me, "order:42", { lease_ms = 1000, retry_ms = 700 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { lose_reply = 1, late_request = 1 },
  expect  = { mutual_exclusion = "violated" },
  must_see = { "lose_reply", "late_request" },
  patch   = {
    ["redlock/token.lua"] = [[
-- token.lua: one value for all tries of an acquisition.
local M = {}

function M.next(lock)
  lock.token = lock.token or lock.me.id .. "/" .. lock.me:unique("token")
  return lock.token
end

return M
]],
  },

  -- The same with a fresh value for each try: what comes late finds a value that it does not look for.
  twin = {
    title   = "Redlock: another value for each try",
    expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
    patch   = {},
  },
}
