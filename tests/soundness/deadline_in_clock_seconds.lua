-- truth: mutual_exclusion (LK001) violated
-- The deadline stands in whole seconds of the client's clock: taken at 0.999 s for 2 s it is over at 2.000 s, 999 ms early.
local function view(redis, l)
  local owner = redis.call("HGET", l, "owner")
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = owner and 2000, queue = {}, keys = owner and { l } or {} }
end

local acquire = [[
local till = redis.call("HGET", KEYS[1], "till")
if till and tonumber(ARGV[2]) < tonumber(till) then return 0 end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "till", ARGV[2] + 2)
return 1]]
local release = [[
if redis.call("HGET", KEYS[1], "owner") ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])]]

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", { view = view })
    me:wants("L")
    local now_s = math.floor(me:now() / 1000)
    if me:eval(acquire, { "L" }, { me.id, now_s }, { op = "acquire", lock = "L", lease = 2000 }) == 0 then
      me:refused("L")
      me:gave_up("L")
      return
    end
    me:granted("L", { lease = 2000 })
    me:work(1500)
    me:eval(release, { "L" }, { me.id }, { op = "release", lock = "L" })
    me:released("L")
  end,
}
