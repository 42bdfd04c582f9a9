-- truth: owner_only (LK003) violated (the lease ends between look and DEL, and the next holder's lock is freed)
local function view(redis, name)
  local owner, ttl_ms = redis.call("GET", name), redis.call("PTTL", name)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = ttl_ms, keys = owner and { name } or {} }
end
local driver = { view = view, spec = "mutex" }

local function acquire(me, name)
  me:observe(name, driver)
  me:wants(name)
  while true do
    me:call("WATCH", name)
    if me:call("GET", name) then
      me:call("UNWATCH")
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

-- It does not watch what it looks at.
local function release(me, name)
  if me:call("GET", name) ~= me.id then
    me:lost(name)
    return
  end
  me:call("MULTI")
  me:call("DEL", name, { op = "release", lock = name })
  if me:call("EXEC") then me:released(name) else me:lost(name) end
end

return {
  title   = "MULTI and EXEC: a release that does not watch",
  clients = { "A", "B" },
  program = function(me)
    acquire(me, "order:42"); me:work(100); release(me, "order:42")
  end,
}
