-- holdings.lua: whom a generic lock's key names as its holders, and until when. For views: it only reads the keyspace,
-- and leaves out what is over by the time of the view.
local keyspace = require "keyspace"

local M = {}

-- What a sorted set's scores are, by a word as "$until_ms" or "$now_s + 1": { unit_ms = , since = , through = }; nil:
-- it is no such word.
function M.score_of(ends)
  local what, unit, through = ends:match("^%$(%l+)_(m?s)(.*)$")
  if (what ~= "until" and what ~= "now") or (through ~= "" and through ~= " + 1") then
    return nil
  end
  return { unit_ms = unit == "ms" and 1 or 1000, since = what == "now", through = through == "" and 0 or 1 }
end

-- What a key of each kind says: add(id, count, score) for each holder in it.
local reads = {}

reads["hash field"] = function(redis, key, add)
  for field, value in pairs(keyspace.hash(redis, key)) do
    local count = tonumber(value) or 1
    add(field, count >= 0 and count == math.floor(count) and count or 1)
  end
end

reads["sorted set member"] = function(redis, key, add)
  local flat = redis.call("TYPE", key) == "zset" and redis.call("ZRANGE", key, 0, -1, "WITHSCORES") or {}
  for i = 1, #flat, 2 do
    add(flat[i], 1, tonumber(flat[i + 1]))
  end
end

reads["set member"] = function(redis, key, add)
  for _, member in ipairs(redis.call("TYPE", key) == "set" and redis.call("SMEMBERS", key) or {}) do
    add(member, 1)
  end
end

reads["list item"] = function(redis, key, add)
  for _, item in ipairs(redis.call("TYPE", key) == "list" and redis.call("LRANGE", key, 0, -1) or {}) do
    add(item, 1)
  end
end

reads["string value"] = function(redis, key, add)
  if redis.call("TYPE", key) == "string" then
    add(redis.call("GET", key), 1)
  end
end

function reads.nobody()
end

-- The instant from which on the hold is over; nil: none ends it but the key's own.
local function end_ms(redis, key, given, scores, id, score)
  if scores then
    return (score + scores.through) * scores.unit_ms + (scores.since and given.lease_ms or 0)
  end
  return given.ends and given.ends(redis, key, id)
end

-- The owner in a value: $token ends in "/..." after the owner, and is cut back to it.
local function owner_in(value)
  return value:match("^[^/]*")
end

-- Who holds the lock, { [owner] = count }; how many holds those are; for how long all of them last at least, as PTTL
-- says it; and whose hold is over and still stored. given: the lock's table; scores: what M.score_of made of its
-- `ends`, if that is a word.
function M.of(redis, key, given, scores)
  local counts, total, ttl_ms, lapsed = {}, 0, redis.call("PTTL", key), {}
  local counted = given.limit or given.spec == "reentrant" or given.spec == "fair" or type(given.holder) == "function"
  local function add(id, count, score)
    if id == "" then                     -- a release that leaves an empty value names nobody
      return
    end
    local owner, until_ms = owner_in(id), end_ms(redis, key, given, scores, id, score)
    local left_ms = until_ms and (redis.ms_left(until_ms) or 0)
    if left_ms and left_ms <= 0 then
      lapsed[#lapsed + 1] = owner
      return
    end
    if left_ms and (ttl_ms < 0 or left_ms - 1 < ttl_ms) then
      ttl_ms = left_ms - 1               -- PTTL's 0 is a key's last millisecond
    end
    if type(count) == "table" then       -- in several modes
      counts[owner] = count
      return
    end
    if not counted or (given.limit and given.holder == "hash field") then
      count = 1                          -- a field's value counts the holds of a lock that counts, and is else its own
    end
    counts[owner] = (given.limit and counts[owner] or 0) + count
    total = total + count
  end
  if type(given.holder) == "function" then
    local owners = given.holder(redis, key)
    if owners ~= nil and type(owners) ~= "table" then
      error("holder returns a table of owners and how many holds each has, { [owner] = 1 }, not a " .. type(owners), 0)
    end
    for id, count in pairs(owners or {}) do
      add(id, count)
    end
  else
    reads[given.holder or "string value"](redis, key, add)
  end
  return counts, total, ttl_ms, lapsed
end

return M
