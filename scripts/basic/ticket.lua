-- ticket.lua: a ticket lock: a client draws the next number, and goes in when it is called. One hash has it all:
-- `next`, the last number drawn; `called`; `inside`, the holder; and owner -> number for the holder and each waiter.
-- No client can pass another, and nothing ends a turn but its owner: there is no lease.
local generic = require "generic"
local keyspace = require "keyspace"

local M = generic.lock {
  runtime  = "threads",
  acquire  = "basic/ticket/acquire.lua",
  release  = "basic/ticket/release.lua",
  args     = { acquire = { "$owner" }, release = { "$owner" } },
  granted  = 1,
  retry_ms = 250,
  spec     = "fair",
}

-- Fields of the hash that are no owner's.
local counters = { next = true, called = true, inside = true }

-- The two counters are meant to stay when there is neither holder nor waiter.
function M.view(redis, name)
  local fields = keyspace.hash(redis, name)
  local numbered, queue = {}, {}
  for field, value in pairs(fields) do
    if not counters[field] and field ~= fields.inside then
      numbered[tonumber(value)] = field
    end
  end
  for number = 1, tonumber(fields.next) or 0 do
    queue[#queue + 1] = numbered[number]
  end
  return {
    holders = fields.inside and { [fields.inside] = 1 } or {},
    ttl_ms  = redis.call("PTTL", name),
    queue   = queue,
    keys    = (fields.inside or #queue > 0) and { name } or {},
  }
end

return M
