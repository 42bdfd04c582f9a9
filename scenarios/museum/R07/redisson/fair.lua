-- fair.lua: the fair lock without an abandon: whoever gives up stays in the queue.
local fair_client = require "redisson.fair_client"

local M = { spec = "fair", view = fair_client.look }

M.lock = fair_client.constructor(M, {
  acquire       = script "redisson/fair/acquire.lua",
  try_once      = script "redisson/fair/try_once.lua",
  release       = script "redisson/fair/release.lua",
  force_release = script "redisson/fair/force_release.lua",
}, true)

return M
