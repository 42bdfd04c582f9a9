-- string.lua: seed 002's simple lock: a string that holds its owner's unique value, its scripts under string/. The
-- value is the owner's id ("A:1"), as unique here as the seed asks.
local keyspace = require "keyspace"
local polling = require "simple.polling"

local M = { spec = "mutex", runtime = "threads" }

function M.view(redis, name)
  local holders = {}
  if redis.call("TYPE", name) == "string" then
    holders[redis.call("GET", name)] = 1
  end
  return { holders = holders, ttl_ms = redis.call("PTTL", name), keys = keyspace.existing(redis, { name }) }
end

M.lock = polling.constructor(M, {
  acquire = script "simple/string/acquire.lua",
  release = script "simple/string/release.lua",
})

return M
