-- truth: always (LK090) violated
-- A stores when it came and works for any time; B stores when it came. At the end of its work A compares. VIOLATED: B
-- comes more than 50 ms after A.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", marks)
    me:call("SET", me.client, me:now())
    if me.client == "B" then return end
    me:work()
    local a, b = me:call("GET", "A"), me:call("GET", "B")
    if a and b and b - a > 50 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
