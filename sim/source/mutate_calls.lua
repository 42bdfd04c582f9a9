-- mutate_calls.lua: the possible mistakes in one redis.call: its command, its options, its reply.
local tree = require "tree"

local calls = {}

local expires = { expire = true, pexpire = true, expireat = true, pexpireat = true }
function calls.is_expire(command)
  return expires[command:lower()] or false
end

-- Commands that take the same arguments and mean something else.
local siblings = {
  expire = "pexpire", pexpire = "expire", expireat = "pexpireat", pexpireat = "expireat", ttl = "pttl", pttl = "ttl",
  lpop = "rpop", rpop = "lpop", lpush = "rpush", rpush = "lpush", incr = "decr", decr = "incr", incrby = "decrby",
  decrby = "incrby", zrange = "zrevrange", zrevrange = "zrange", psetex = "setex", setex = "psetex", hset = "hsetnx",
  hsetnx = "hset", set = "setnx",
  setnx = "set", sadd = "srem", srem = "sadd",
}

local with_integer = {
  exists = true, hexists = true, del = true, hdel = true, zadd = true, zrem = true, sadd = true, srem = true,
  scard = true, zcard = true, hlen = true, llen = true, hincrby = true, incrby = true, incr = true, decr = true,
  decrby = true, pttl = true, ttl = true, sismember = true, setnx = true, hset = true, hsetnx = true, publish = true,
  pexpire = true, expire = true, zremrangebyscore = true, zcount = true, lrem = true, lpush = true, rpush = true,
  persist = true, hstrlen = true, strlen = true, spublish = true,
}

-- Commands that only look: in a comparison that is forced both ways, forcing their reply shows nothing more.
local looks = {
  exists = true, hexists = true, get = true, hget = true, zscore = true, lindex = true, pttl = true, ttl = true,
  scard = true, zcard = true, llen = true, hlen = true, sismember = true, zrange = true, lrange = true, zcount = true,
  type = true, strlen = true, zrank = true,
}

-- Options that are words of their own, and those that take the argument behind them.
local words = { nx = 1, xx = 1, gt = 1, lt = 1, ch = 1, get = 1, keepttl = 1, withscores = 1, px = 2, ex = 2, pxat = 2,
                exat = 2, limit = 3 }
local first_option = { set = 3, zadd = 2, pexpire = 3, expire = 3, zrangebyscore = 4, zrange = 4 }

-- The word that stands between this quote and the same one: case as it was written.
local function in_case(word, like)
  return like == like:upper() and word:upper() or word
end

local function quoted(source, node, word)
  local text = tree.text(source, node)
  local quote = text:sub(1, 1)
  if quote ~= "'" and quote ~= '"' then quote = "'" end
  return quote .. in_case(word, node[1]) .. quote
end

local function rest(source, node, range, new)
  return source.text:sub(node.offset, range.offset - 1) .. new .. source.text:sub(range.end_offset + 1, node.end_offset)
end

local function options(source, node, command, list)
  local from = first_option[command[1]:lower()]
  if not from then return end
  for i = 2 + from, #node do
    local size = node[i].tag == "String" and words[node[i][1]:lower()]
    if size and node[i + size - 1] then
      local range = { offset = node[i - 1].end_offset + 1, end_offset = node[i + size - 1].end_offset }
      list[#list + 1] = { operator = "drop option", range = range, new = "", shown = rest(source, node, range, "") }
    end
  end
end

local function replies(node, command, list, compared)
  local name = command[1]:lower()
  if compared and looks[name] then return end
  local values = with_integer[name] and { "0", "1" } or { "false" }
  for _, value in ipairs(values) do
    list[#list + 1] = { operator = "replace call", range = node, new = value }
  end
end

-- The changes of a call with a literal command. compared: it is part of a condition's comparison; nil: it is elsewhere.
function calls.changes(source, node, command, compared)
  local list = {}
  if not command then return list end
  local sibling = siblings[command[1]:lower()]
  if sibling then
    local new = quoted(source, command, sibling)
    list[#list + 1] = { operator = "other command", range = command, new = new,
                        shown = rest(source, node, command, new) }
  end
  options(source, node, command, list)
  replies(node, command, list, compared)
  return list
end

return calls
