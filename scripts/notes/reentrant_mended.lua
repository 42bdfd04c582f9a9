-- reentrant_mended.lua: seed 004's reentrant lock with the release mended: it publishes by redis.call. Scripts under reentrant_mended/.
local client = require "notes.client"
local reentrant = require "notes.reentrant_kind"

return client.driver(reentrant.kind(script "notes/reentrant_mended/acquire.lua", script "notes/reentrant_mended/release.lua"))
