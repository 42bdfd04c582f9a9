-- truth: mutual_exclusion (LK001) violated
-- As seconds_one_short.lua, at a server whose clock has gone back by half a second: its seconds end within ours. Before that
-- nobody gets the lock.
local acquire = [[
local t = redis.call("TIME")
local now = tonumber(t[1])
if now * 1000 + t[2] / 1000 >= tonumber(ARGV[2]) then return 0 end
if tonumber(redis.call("HGET", KEYS[1], "till") or 0) > now then return 0 end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "till", now + 5)
return 1]]

local release = [[
if redis.call("HGET", KEYS[1], "owner") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])]]

return {
  clients = { "A", "B" },
  faults = { server_clock_jump = { 1, ms = -500 } },
  program = function(me)
    me:wants("L")
    if me:eval(acquire, { "L" }, { me.id, me:now() }, { op = "acquire", lock = "L", lease = 4001 }) ~= 1 then
      me:refused("L")
      me:gave_up("L")
      return
    end
    me:granted("L", { lease = 4001 })
    me:work()
    if me:eval(release, { "L" }, { me.id }, { op = "release", lock = "L" }) == 1 then
      me:released("L")
    else
      me:lost("L")
    end
  end,
}
