-- lint_commands.lua: the replies of Redis commands to a script, and their effects on keys. Names, arity and the places
-- of keys come from locksim's own table of commands, as rows "name arity flags first last step" (redis_tell_commands).
-- Facts: redis.io/commands; the replies as scripts get them: "Lua API reference", section "Data type conversion".
local values = require "lint_values"

local commands = {}

local function words(text, into, value)
  for word in text:gmatch("%S+") do into[word] = value end
  return into
end

-- Types of the reply as a script gets it; a nil reply is false there.
local int, text, maybe_text, array = values.set("number"), values.set("string"), values.set("string", "false"),
                                     values.set("table")
local reply = {}
words([[exists expire pexpire expireat pexpireat ttl pttl persist expiretime pexpiretime del unlink hset hsetnx
  hincrby hdel hexists hlen hstrlen incr incrby decr decrby setnx msetnx append strlen setbit getbit setrange
  bitcount lpush rpush lpushx rpushx llen lrem linsert sadd srem scard sismember smove zadd zrem zcard zcount
  zlexcount zremrangebyrank zremrangebyscore publish dbsize sunionstore sinterstore sdiffstore zunionstore
  zinterstore zrangestore copy renamenx touch xlen pfadd pfcount]], reply, int)
words("get hget getset getdel getex lindex lpop rpop zscore spop srandmember rpoplpush lmove randomkey", reply,
      maybe_text)
words("incrbyfloat hincrbyfloat zincrby getrange substr echo", reply, text)
words("zrank zrevrank", reply, values.set("number", "false"))
words([[lrange hgetall hkeys hvals hmget mget smembers sinter sunion sdiff zrange zrevrange zrangebyscore
  zrevrangebyscore zrangebylex zrevrangebylex keys time scan sscan hscan zscan zpopmin zpopmax smismember
  zmscore]], reply, array)
words("type setex psetex mset hmset rename lset ltrim ping", reply, array)

-- Statuses are tables with a field `ok`.
local statuses = words("type set setex psetex mset hmset rename lset ltrim ping select", {}, true)
-- What may make a key that was not there, without a time to live.
local makers = {}
words("hset hmset hsetnx hincrby hincrbyfloat", makers, "hash")
words("lpush rpush", makers, "list")
words("sadd", makers, "set")
words("zadd zincrby", makers, "sorted set")
words("incr incrby incrbyfloat decr decrby append setbit setrange", makers, "string")
-- Commands that replace a key, and remove its time to live with it.
local replacers = words("set getset setnx", {}, "string")
local readers = {}
words("hget hexists hgetall hkeys hvals hlen hmget hdel hincrby hincrbyfloat hset hsetnx hmset hstrlen hscan", readers,
      "hash")
words("lpush rpush lpushx rpushx lpop rpop llen lrange lindex lrem lset ltrim linsert", readers, "list")
words("sadd srem sismember smembers scard spop srandmember", readers, "set")
words([[zadd zincrby zscore zrank zrevrank zrange zrevrange zrangebyscore zrem zcard zcount zremrangebyscore
  zremrangebyrank zpopmin zpopmax]],
      readers, "sorted set")
words("get incr incrby decr decrby incrbyfloat append strlen getrange setrange getdel getex", readers, "string")

local deprecated = {
  getset = "SET with GET", hmset = "HSET, which takes many fields", psetex = "SET with PX", setex = "SET with EX",
  setnx = "SET with NX", rpoplpush = "LMOVE", brpoplpush = "BLMOVE", substr = "GETRANGE",
  zrangebyscore = "ZRANGE with BYSCORE", zrevrangebyscore = "ZRANGE with REV and BYSCORE",
  zrevrange = "ZRANGE with REV", zrangebylex = "ZRANGE with BYLEX", zrevrangebylex = "ZRANGE with REV and BYLEX",
  georadius = "GEOSEARCH", georadiusbymember = "GEOSEARCH", slaveof = "REPLICAOF",
}
-- Where the number of keys stands, of commands that say it.
local counted = {
  zunionstore = 2, zinterstore = 2, zdiffstore = 2, zunion = 1, zinter = 1, zdiff = 1, zintercard = 1, sintercard = 1,
  lmpop = 1, zmpop = 1,
  blmpop = 2, bzmpop = 2,
}
-- The place of an argument that must be a whole number.
local whole = {
  expire = 2, pexpire = 2, expireat = 2, pexpireat = 2, incrby = 2, decrby = 2, hincrby = 3, setex = 2, psetex = 2,
  lrem = 2, setbit = 2,
}

-- The table of commands from its rows.
function commands.read(rows)
  local all = {}
  for line in rows:gmatch("[^\n]+") do
    local name, arity, flags, first, last, step = line:match("^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$")
    if name then
      all[name] = { name = name, arity = tonumber(arity), flags = flags, first = tonumber(first), last = tonumber(last),
                    step = tonumber(step) }
    end
  end
  return all
end

function commands.reply_types(name) return reply[name] end
function commands.is_status(name) return statuses[name] end
function commands.makes(name) return makers[name] or replacers[name] end
function commands.replaces(name) return replacers[name] ~= nil end
function commands.kind(name) return readers[name] end
function commands.instead_of(name) return deprecated[name] end
function commands.whole_argument(name) return whole[name] end

-- Positions of the keys in the call's arguments (1: the first one behind the name); fewer if they cannot be known.
function commands.key_places(row, call)
  local places, n = {}, #call.args
  local count_at = counted[row.name]
  if count_at then
    if count_at == 2 and row.name:sub(1, 1) == "z" then places[1] = 1 end
    local count = call.args[count_at] and tonumber(call.args[count_at].const)
    for i = 1, math.min(count or 0, n - count_at) do places[#places + 1] = count_at + i end
  elseif row.first > 0 then
    local last = row.last < 0 and n + 1 + row.last or row.last
    if call.open and row.last < 0 then last = n end
    for i = row.first, math.min(last, n), math.max(row.step, 1) do places[#places + 1] = i end
  end
  return places
end

-- The option word `name` among the arguments from `from` on, and its place.
function commands.option(call, name, from)
  for i = from or 1, #call.args do
    local word = call.args[i].const
    if type(word) == "string" and word:upper() == name then return i end
  end
end

return commands
