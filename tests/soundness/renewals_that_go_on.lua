-- truth: holds, everything judged by default (the watchdog tries again 100 ms after a lost renewal)
local renew = [[
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], 300) end
return 0]]
local release = [[if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0]]
local function view(redis, name)
  local owner, ttl_ms = redis.call("GET", name), redis.call("PTTL", name)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = ttl_ms, keys = owner and { name } or {} }
end

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 } },
  program = function(me)
    me:observe("L", { view = view, spec = "mutex" })
    me:wants("L")
    while not me:call("SET", "L", me.id, "NX", "PX", 300, { op = "acquire", lock = "L" }) do
      me:refused("L")
      me:sleep(50)
    end
    me:granted("L", { renew_ms = 100 })
    local watchdog = me:spawn("watchdog", function(task)
      while true do
        task:sleep(100)
        task:eval(renew, { "L" }, { me.id }, { op = "renew", lock = "L", timeout_ms = 20 })
      end
    end, { daemon = true })
    me:work(me.client == "A" and 450 or 10)
    watchdog:cancel()
    local freed = me:eval(release, { "L" }, { me.id }, { op = "release", lock = "L" })
    if freed == 1 then me:released("L") else me:lost("L") end
  end,
  faults = { lose_request = { 1, op = "renew" } },
}
