-- truth: strict_mutual_exclusion (LK002) violated (290 ms by a clock that loses one in 20 outlast a lease of 300 ms)
local function view(redis, name)
  local owner, ttl_ms = redis.call("GET", name), redis.call("PTTL", name)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = ttl_ms, keys = owner and { name } or {} }
end
local free = script.text("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0")
return {
  title   = "a holder that stops by its own timer",
  clients = { { "A", drift = "-1/20" }, "B" },
  program = function(me)
    me:observe("L", { view = view, spec = "mutex" })
    me:wants("L")
    while me:call("SET", "L", me.id, "NX", "PX", 300, { op = "acquire", lock = "L", lease = 300 }) ~= "OK" do
      me:refused("L")
      me:sleep(100)
    end
    me:granted("L", { lease = 300 })
    me:sleep(290)
    local freed = me:eval(free, { "L" }, { me.id }, { op = "release", lock = "L" }) == 1
    if freed then me:released("L") else me:lost("L") end
  end,
  expect  = { strict_mutual_exclusion = "holds" },
}
