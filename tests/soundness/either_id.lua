-- truth: holds
-- One of two ids is the smaller one, in whatever order they lie.
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
    if other and not (me.id < other or other < me.id) then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
