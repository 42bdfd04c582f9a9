-- truth: mutual_exclusion (LK001) violated
-- The client's deadline, PXAT, may have come when the late request is there: SET answers OK and leaves nothing. A
-- believes in the lease of 1 s that it asked for, and B takes the lock.
local function view(redis, l)
  local owner = redis.call("GET", l)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", l), queue = {},
           keys = owner and { l } or {} }
end

return {
  clients = { "A", "B" },
  faults = { late_request = 1 },
  program = function(me)
    me:observe("L", { view = view, spec = "mutex" })
    me:wants("L")
    local till_ms = me:now() + 1000
    if me:call("SET", "L", me.id, "NX", "PXAT", till_ms, { op = "acquire", lock = "L", lease = 1000 }) then
      me:granted("L", { lease = 1000 })
    else
      me:refused("L")
    end
  end,
}
