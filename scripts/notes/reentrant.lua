-- reentrant.lua: seed 004's reentrant lock with its scripts as printed, under reentrant/. Its last release deletes the
-- lock and then fails, because it calls redis.publish: the caller is told of an error, the waiters are told nothing.
local reentrant = require "notes.reentrant_client"

local M = { spec = "reentrant", view = reentrant.look }

M.lock = reentrant.constructor(M, script "notes/reentrant/acquire.lua", script "notes/reentrant/release.lua")

return M
