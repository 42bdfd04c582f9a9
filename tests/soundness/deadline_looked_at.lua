-- truth: holds
-- The client's deadline, PXAT, may have come when the late request is there: SET answers OK and leaves nothing. A
-- looks at its clock first, believes in what is left, and gives back what is over.
local function view(redis, l)
  local owner = redis.call("GET", l)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", l), queue = {},
           keys = owner and { l } or {} }
end

local release = [[
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call("DEL", KEYS[1])]]

return {
  clients = { "A", "B" },
  faults = { late_request = 1 },
  program = function(me)
    me:observe("L", { view = view, spec = "mutex" })
    me:wants("L")
    local till_ms = me:now() + 1000
    if me:call("SET", "L", me.id, "NX", "PXAT", till_ms, { op = "acquire", lock = "L", lease = 1000 }) then
      local left_ms = till_ms - me:now()
      if left_ms > 0 then
        me:granted("L", { lease = left_ms })
      else
        me:eval(release, { "L" }, { me.id }, { op = "release", lock = "L" })
        me:refused("L")
      end
    else
      me:refused("L")
    end
  end,
}
