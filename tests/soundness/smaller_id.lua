-- truth: always (LK090) violated
-- Ids are random: B's may be the smaller one, by `<` in client code.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B" },
  start_ms = 0,
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", me.id)
      return
    end
    local other = me:call("GET", "k")
    if other and me.id < other then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
