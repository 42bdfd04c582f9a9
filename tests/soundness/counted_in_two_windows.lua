-- truth: always (LK090) violated
-- Two clients each enter a sorted set when they come. A third one counts two windows before its own time, by ZCOUNT.
-- Truth: VIOLATED: A at 0, B at 30, C at 48.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", unmarked)
    local now = me:now()
    if me.client ~= "C" then me:call("ZADD", "z", now, me.client) return end
    if me:call("ZCOUNT", "z", now - 50, now - 47) == 1 and me:call("ZCOUNT", "z", now - 20, now - 17) == 1 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(view) return #view.queue == 0 end,
}
