-- truth: always (LK090) violated
-- How long B's first work took matters only after its second one, and nobody sees it before.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("PING")
      return
    end
    local began = me:now()
    me:work()
    local half = me:now()
    me:work()
    if half - began == 1234 and me:now() - half > 777 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
