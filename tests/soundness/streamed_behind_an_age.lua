-- truth: always (LK090) violated
-- Two clients each write into a stream when they come. A third one waits until B's entry is 12 ms old, and looks for one
-- that is 31 to 33 ms older, by XRANGE. Truth: VIOLATED: A at 0, B at 31, C at 43.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client ~= "C" then me:call("XADD", me.client, me:now() .. "-1", "by", me.id) return end
    local entry = me:call("XRANGE", "B", "-", "+")[1]
    local b = entry and entry[1]:match("^%d+")
    if b and me:now() - b >= 12 and me:call("XRANGE", "A", b - 33, b - 31)[1] then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
