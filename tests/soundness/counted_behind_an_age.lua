-- truth: always (LK090) violated
-- Two clients each enter a sorted set when they come. A third one waits until B's entry is 12 ms old, and counts those
-- that are 30 to 40 ms older, by ZCOUNT. Truth: VIOLATED: A at 0, B at 30, C at 42.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client ~= "C" then me:call("ZADD", "z", me:now(), me.client) return end
    local b = me:call("ZSCORE", "z", "B")
    if b and me:now() - b >= 12 and me:call("ZCOUNT", "z", b - 40, b - 30) == 1 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
