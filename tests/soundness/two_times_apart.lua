-- truth: always (LK090) violated
-- Two clients each store the time at which they came, at any moment. A third one finds more than 50 ms between the two
-- and considers the first dead: the mark. Truth: VIOLATED: A comes at 0 and B at 51 or later, then C.
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
    if a and b and b - a > 50 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
