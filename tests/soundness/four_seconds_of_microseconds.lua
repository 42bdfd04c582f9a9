-- truth: always (LK090) violated
-- A takes the last of every four seconds from the microseconds of the server's clock: no full second that passes
-- keeps it.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    me:sleep(2000)
    if me.client == "B" then
      me:call("GET", "k")
      return
    end
    me:work()
    local us = me:eval([[local t = redis.call("TIME") return t[1] * 1000000 + t[2] ]], {}, {})
    if us % 4000000 >= 3000000 then me:call("SADD", "marks", "x") end
  end,
  end_ms = 9000,
  always = function(view) return #view.queue == 0 end,
}
