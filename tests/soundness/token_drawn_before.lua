-- truth: fencing (LK005) violated (a client that draws its token before it has the lock may come after one with a later token)
local function view(redis, name)
  local owner, ttl_ms = redis.call("GET", name), redis.call("PTTL", name)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = ttl_ms, keys = owner and { name } or {} }
end
local free = script.text("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0")
return {
  title   = "a token that is drawn before the lock is taken",
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", { view = view, spec = "mutex" })
    me:wants("L")
    local token = me:call("INCR", "tokens")
    me:work()
    while me:call("SET", "L", me.id, "NX", "PX", 300, { op = "acquire", lock = "L", lease = 300 }) ~= "OK" do
      me:refused("L")
      me:sleep(400)
    end
    me:granted("L", { lease = 300, token = token })
    me:use("db", token)
    local freed = me:eval(free, { "L" }, { me.id }, { op = "release", lock = "L" }) == 1
    if freed then me:released("L") else me:lost("L") end
  end,
  expect  = { fencing = "holds" },
}
