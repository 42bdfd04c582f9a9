-- truth: always (LK090) violated
-- As old_enough_then_compared.lua, but the later one must be exactly 30 ms old: a millisecond before and after, nobody
-- compares. Truth: VIOLATED: A at 0, B at 51, C at 81.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", marks)
    if me.client ~= "C" then
      me:call("SET", me.client, me:now())
      return
    end
    local a, b = me:call("GET", "A"), me:call("GET", "B")
    if a and b and me:now() - b == 30 and b - a > 50 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
