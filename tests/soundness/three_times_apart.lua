-- truth: always (LK090) violated
-- Three clients each store the time at which they came. A fourth one asks for ages and distances, each of them only if
-- the one before was long enough. Truth: VIOLATED: A at 0, B at 51, C at 92, D at 123.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
return {
  clients = { "A", "B", "C", "D" },
  program = function(me)
    me:observe("L", marks)
    if me.client ~= "D" then
      me:call("SET", me.client, me:now())
      return
    end
    local a, b, c = me:call("GET", "A"), me:call("GET", "B"), me:call("GET", "C")
    if a and b and c and me:now() - c > 30 and c - b > 40 and b - a > 50 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
