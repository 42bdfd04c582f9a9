-- fair_3_13.lua: Redisson's fair lock as seed 003 prints it (3.13.3 to 3.23), its scripts under fair_3_13/. The
-- scripts are those of that time; the client around them is today's (client.lua), but for the unlock latch, which came
-- with 3.24.
local fair_client = require "redisson.fair_client"

local M = { spec = "fair", view = fair_client.look }

M.lock = fair_client.constructor(M, {
  acquire       = script "redisson/fair_3_13/acquire.lua",
  try_once      = script "redisson/fair_3_13/try_once.lua",
  release       = script "redisson/fair_3_13/release.lua",
  force_release = script "redisson/fair_3_13/force_release.lua",
  abandon       = script "redisson/fair_3_13/abandon.lua",
}, false)

return M
