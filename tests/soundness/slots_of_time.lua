-- truth: always (LK090) violated
-- Time in slots of a minute: the second one after A's.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    local slot = math.floor(me:now() / 60000)
    if me.client == "A" then
      me:call("SET", "k", slot)
      return
    end
    me:work()
    local before = tonumber(me:call("GET", "k") or nil)
    if before and math.floor(me:now() / 60000) == before + 2 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
