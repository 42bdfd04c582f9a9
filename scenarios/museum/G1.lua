-- SETNX takes the lock, EXPIRE gives it an end: a client that dies between the two leaves a lock for ever. Half of all
-- tutorials show it so.
local set_nx = require "basic.set_nx"

return {
  title   = "SETNX, then EXPIRE",
  exhibit = { bug = "G1", library = "home-made", what = "the lock and its TTL are two requests" },
  clients = { "A", "B" },
  program = function(me)
    local lock = set_nx.lock(me, "order:42", { lease_ms = 1000, retry_ms = 500 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = 1 },
  expect  = {
    -- B asks for ever.
    no_deadlock = "violated",
    prompt = { "violated", idle_ms = 1501 },
    no_leak = "violated",
    -- Between the two requests there is always a lock without an end.
    lease_set = "violated",
  },
  must_see = { "crash", "contention" },
  patch   = {
    ["basic/set_nx.lua"] = [[
-- set_nx.lua: in two commands.
return require "basic.setnx_expire"
]],
  },

  -- The twin of G1: one SET with NX and PX.
  twin = {
    title   = "SET NX PX",
    expect  = {
      strict_mutual_exclusion = "holds", prompt = { "holds", idle_ms = 1501 }, no_deadlock = false,
      no_leak = false, lease_set = false,
    },
    patch   = {},
  },
}
