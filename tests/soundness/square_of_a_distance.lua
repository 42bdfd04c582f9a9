-- truth: always (LK090) violated
-- Close to an instant, before and after it, B does something else: it goes by the square of the distance.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", me:now())
      return
    end
    me:work()
    local since = tonumber(me:call("GET", "k") or nil)
    local past_ms = since and me:now() - since or 0
    if past_ms * past_ms > 150 and past_ms * past_ms < 240 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
