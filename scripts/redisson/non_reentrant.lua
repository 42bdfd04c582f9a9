-- non_reentrant.lua: Redisson's non-reentrant locks, plain and fair, scripts under non_reentrant/ and
-- fair_non_reentrant/: those of the reentrant ones, but for an owner that asks again. It gets an error, where a plain
-- mutex would let it wait for itself.
local client = require "redisson.client"
local fair_client = require "redisson.fair_client"
local plain = require "redisson.lock"

local M = {}

M.refusal = "NON_REENTRANT_REACQUIRE"         -- what the script is given for it
M.text = "ERR " .. M.refusal                   -- what the owner is told

local acquire = script "redisson/non_reentrant/acquire.lua"

local family = setmetatable({}, { __index = plain.family })

function family.acquire(lock, ttl_ms)
  return { script = acquire, keys = { lock.name }, argv = { ttl_ms, lock.me.id, M.refusal } }
end
family.try_once = family.acquire

local plain_driver = { spec = "mutex", runtime = "threads", view = plain.view }

M.lock = client.constructor(plain_driver, family)

local fair_driver = { spec = "fair", runtime = "threads", view = fair_client.look }

M.fair = fair_client.constructor(fair_driver, {
  acquire       = script "redisson/fair_non_reentrant/acquire.lua",
  try_once      = script "redisson/fair_non_reentrant/try_once.lua",
  release       = script "redisson/fair/release.lua",
  force_release = script "redisson/fair/force_release.lua",
  abandon       = script "redisson/fair/abandon.lua",
}, true, M.refusal)

return M
