-- counted.lua: seed 002's reentrant lock: a hash of owner -> holds, its scripts under counted/.
local keyspace = require "keyspace"
local polling = require "simple.polling"

local M = { spec = "reentrant", runtime = "threads" }

function M.view(redis, name)
  return {
    holders = keyspace.counts(redis, name),
    ttl_ms  = redis.call("PTTL", name),
    keys    = keyspace.existing(redis, { name }),
  }
end

M.lock = polling.constructor(M, {
  counts  = true,
  acquire = script "simple/counted/acquire.lua",
  release = script "simple/counted/release.lua",
})

return M
