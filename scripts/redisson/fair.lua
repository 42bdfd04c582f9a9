-- fair.lua: Redisson's fair lock as it is today (scripts since 3.45.0), its scripts under fair/.
local fair_client = require "redisson.fair_client"

local M = { spec = "fair", runtime = "threads", view = fair_client.look }

M.lock = fair_client.constructor(M, {
  acquire       = script "redisson/fair/acquire.lua",
  try_once      = script "redisson/fair/try_once.lua",
  release       = script "redisson/fair/release.lua",
  force_release = script "redisson/fair/force_release.lua",
  abandon       = script "redisson/fair/abandon.lua",
}, true)

return M
