-- truth: mutual_exclusion (LK001) violated
-- A lease by EXAT, in whole seconds of the client's clock, in a later second of the run: set in the last millisecond of
-- one, its key lives for 1,001 ms. The client believes in one more.
local function view(redis, l)
  local owner = redis.call("GET", l)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", l), queue = {},
           keys = owner and { l } or {} }
end

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", { view = view })
    me:sleep(2000)
    me:work()
    me:wants("L")
    local till_s = math.floor(me:now() / 1000) + 2
    if me:call("SET", "L", me.id, "NX", "EXAT", till_s, { op = "acquire", lock = "L" }) then
      me:granted("L", { lease = 1002 })
      me:work(1002)
    else
      me:refused("L")
      me:gave_up("L")
    end
  end,
}
