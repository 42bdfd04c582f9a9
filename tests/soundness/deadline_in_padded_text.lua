-- truth: mutual_exclusion (LK001) violated (deadlines are padded texts, compared as texts, and 7 ms too early)
local acquire = script.text([[
  local t = redis.call("TIME")
  local now = t[1] * 1000 + math.floor(t[2] / 1000)
  local till = redis.call("HGET", KEYS[1], "till")
  if till and till >= string.format("%015d", now + 7) then return 0 end
  redis.call("HSET", KEYS[1], "till", string.format("%015d", now + 300), "by", ARGV[1])
  return 1
]])
local function view(redis, name)
  local owner, till = redis.call("HGET", name, "by"), redis.call("HGET", name, "till")
  local left_ms = till and redis.ms_left(tonumber(till)) or -1
  return { holders = left_ms >= 0 and { [owner] = 1 } or {}, ttl_ms = left_ms, keys = {} }
end
return {
  title   = "a deadline in a padded text",
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", { view = view, spec = "mutex" })
    me:wants("L")
    if me:eval(acquire, { "L" }, { me.id }, { op = "acquire", lock = "L", lease = 300 }) ~= 1 then
      me:refused("L")
      me:gave_up("L")
      return
    end
    me:granted("L", { lease = 300 })
    me:work()
  end,
}
