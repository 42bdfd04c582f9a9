-- truth: mutual_exclusion (LK001) violated (nobody watches the key between look and write)
local function view(redis, name)
  local owner, ttl_ms = redis.call("GET", name), redis.call("PTTL", name)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = ttl_ms, keys = owner and { name } or {} }
end
local driver = { view = view, spec = "mutex" }

local function acquire(me, name)
  me:observe(name, driver)
  me:wants(name)
  while true do
    if me:call("GET", name) then
      me:refused(name)
      me:sleep(50)
    else
      me:call("MULTI")
      me:call("SET", name, me.id, "PX", 100, { op = "acquire", lock = name, lease = 100 })
      if me:call("EXEC") then
        me:granted(name, { lease = 100 })
        return
      end
    end
  end
end

-- The driver says of the queued command what EXEC will be.
local function release(me, name)
  me:call("WATCH", name)
  if me:call("GET", name) ~= me.id then
    me:call("UNWATCH")
    me:lost(name)
    return
  end
  me:call("MULTI")
  me:call("DEL", name, { op = "release", lock = name })
  if me:call("EXEC") then me:released(name) else me:lost(name) end
end

return {
  title   = "a lock by MULTI and EXEC, without WATCH",
  clients = { "A", "B" },
  program = function(me)
    acquire(me, "order:42"); me:work(10); release(me, "order:42")
  end,
}
