-- reentrant_mended.lua: seed 004's reentrant lock with the release mended: it publishes by redis.call. Scripts under
-- reentrant_mended/.
local reentrant = require "notes.reentrant_client"

local M = { spec = "reentrant", view = reentrant.look }

M.lock = reentrant.constructor(M, script "notes/reentrant_mended/acquire.lua",
                               script "notes/reentrant_mended/release.lua")

return M
