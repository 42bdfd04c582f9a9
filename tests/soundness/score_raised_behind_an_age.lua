-- truth: always (LK090) violated
-- A and B each store when they came. C waits until B's time is 12 ms old, and raises A's score to 30 ms before B's, by
-- ZADD GT. Truth: VIOLATED: A at 0, B at 31, C at 43.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then me:call("ZADD", "z", me:now(), "m") return end
    if me.client == "B" then me:call("SET", "b", me:now()) return end
    local b = me:call("GET", "b")
    if not b or me:call("EXISTS", "z") == 0 or me:now() - b < 12 then return end
    if me:call("ZADD", "z", "GT", "CH", b - 30, "m") == 1 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
