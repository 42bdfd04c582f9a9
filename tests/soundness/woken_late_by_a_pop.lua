-- truth: always (LK090) violated
-- B waits at a list for up to 30 s. Once A has woken it, it looks how much is left: in 3 ms of them it does something else.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:work()
      me:call("RPUSH", "queue", "x")
      return
    end
    local began = me:now()
    local popped = me:call("BLPOP", "queue", "30")
    local left_ms = 30000 - (me:now() - began)
    if popped and left_ms > 7000 and left_ms < 7004 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
