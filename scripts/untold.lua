-- untold.lua: why a generic lock's table does not say when a hold is over: no time to live ends it with the lease, and
-- the key stores a time of day. Only the script's author knows what that time means. For views: it only reads.
local keyspace = require "keyspace"

local M = {}

-- A number in the text that may be a time of day: ten digits or more. nil: there is none.
local function instant_in(text)
  return tonumber(text:match("%d%d%d%d%d%d%d%d%d%d+"))
end

local function in_value(text, read)
  return { at = instant_in(text), read = tonumber(text) and "tonumber(" .. read .. ")" or
                                         "tonumber(" .. read .. ':match("%d%d%d%d%d%d%d%d%d%d+"))' }
end

-- What a key of each kind stores that may be times: a list of { at = number, read = how a table reads it }.
local numbers = {}

function numbers.zset(redis, key)
  return { { at = tonumber(redis.call("ZRANGE", key, 0, 0, "WITHSCORES")[2]) } }
end

function numbers.hash(redis, key)
  local found = {}
  for field, text in pairs(keyspace.hash(redis, key)) do
    found[#found + 1] = in_value(text, string.format('redis.call("HGET", key, %q)', field))
  end
  return found
end

function numbers.string(redis, key)
  return { in_value(redis.call("GET", key), 'redis.call("GET", key)') }
end

-- Sets unit_ms and left_ms of a number that is a time of day near now, in milliseconds or seconds. Else false.
local function is_time(redis, number)
  for _, unit_ms in ipairs { 1, 1000 } do
    number.unit_ms, number.left_ms = unit_ms, number.at and redis.ms_left(number.at * unit_ms)
    if number.left_ms then
      return true
    end
  end
  return false
end

-- The field of the table that would say that this time ends the hold.
local function ends_field(number)
  local since = number.left_ms <= 0
  if not number.read then
    return 'ends = "$' .. (since and "now" or "until") .. (number.unit_ms == 1 and "_ms" or "_s") .. '"'
  end
  return "ends = function(redis, key) return " .. number.read .. (number.unit_ms == 1 and "" or " * 1000") ..
         (since and " + (the lease in ms)" or "") .. " end"
end

-- What is not said of this held key, whose TTL the view tells; nil: nothing.
function M.why(redis, key, lease_ms, ttl_ms)
  local read = numbers[redis.call("TYPE", key)]
  local lasts = ttl_ms < 0 or (lease_ms and ttl_ms > lease_ms)
  for _, number in ipairs(read and lasts and read(redis, key) or {}) do
    if is_time(redis, number) then
      return string.format('what ends a hold? The key "%s" %s and stores %.0f: write %s if that time ends it, else ' ..
                           "ends = false", key, ttl_ms < 0 and "has no TTL" or "outlives the lease", number.at,
                           ends_field(number))
    end
  end
  return nil
end

return M
