-- truth: mutual_exclusion (LK001) violated
-- A lease of 2 s is set by EXAT, in whole seconds of the client's clock: up to 999 ms of it are lost.
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
  program = function(me)
    me:observe("L", { view = view })
    me:wants("L")
    local till_s = math.floor(me:now() / 1000) + 2
    if not me:call("SET", "L", me.id, "NX", "EXAT", till_s, { op = "acquire", lock = "L", lease = 2000 }) then
      me:refused("L")
      me:gave_up("L")
      return
    end
    me:granted("L", { lease = 2000 })
    me:work()
    if me:eval(release, { "L" }, { me.id }, { op = "release", lock = "L" }) == 1 then
      me:released("L")
    else
      me:lost("L")
    end
  end,
}
