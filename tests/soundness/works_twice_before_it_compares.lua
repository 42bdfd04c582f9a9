-- truth: always (LK090) violated
-- As works_before_it_compares.lua, with two works, each as long as it likes. Truth: VIOLATED.
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
    if not (a and b) then return end
    me:work()
    me:work()
    if b - a > 50 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
