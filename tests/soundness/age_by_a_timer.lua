-- truth: always (LK090) violated
-- A writes down when it came, at any time. B's timer was set long before; what it finds is 700 ms old, and a bit.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:work()
      me:call("SET", "came", me:now())
      return
    end
    me:sleep(1000)
    local came = me:call("GET", "came")
    local age_ms = came and me:now() - tonumber(came) or 0
    if age_ms > 700 and age_ms < 703 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
