-- truth: always (LK090) violated
-- Two clients each set a key that lives 100 ms, at any moment. A third one compares what is left of the two. Truth:
-- VIOLATED: A comes at 0, B between 31 and 99, C before 100.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", marks)
    if me.client ~= "C" then
      me:call("SET", me.client, "x", "PX", 100)
      return
    end
    local a, b = me:call("PTTL", "A"), me:call("PTTL", "B")
    if a > 0 and b > 0 and b - a > 30 and b - a < 60 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
