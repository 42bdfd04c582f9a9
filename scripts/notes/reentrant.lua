-- reentrant.lua: seed 004's reentrant lock with its scripts as printed, under reentrant/. Its last release deletes the lock and then
-- fails, because it calls redis.publish: the caller is told of an error, the waiters are told nothing.
local client = require "notes.client"
local reentrant = require "notes.reentrant_kind"

return client.driver(reentrant.kind(script "notes/reentrant/acquire.lua", script "notes/reentrant/release.lua"))
