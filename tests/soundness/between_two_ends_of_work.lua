-- truth: always (LK090) violated
-- A works twice, each time as long as it likes, and knows when it began and when the first work ended. B stores when it
-- came. A asks how long before the end of the first work that was, then how long after its beginning. Truth: VIOLATED:
-- A at 0, B at 51, the first work ends at 82.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", marks)
    if me.client == "B" then
      me:call("SET", "B", me:now())
      return
    end
    local began = me:now()
    me:work()
    local ended = me:now()
    me:work()
    local b = me:call("GET", "B")
    if b and ended - b > 30 and b - began > 50 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
