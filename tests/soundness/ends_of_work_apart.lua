-- truth: always (LK090) violated
-- Two clients each work for any time and store when they were ready; a third one that came with them compares.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 }, { "C", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    me:work()
    if me.client ~= "C" then
      me:call("SET", me.client, me:now())
      return
    end
    local a, b = me:call("GET", "A"), me:call("GET", "B")
    if a and b and b - a == #"abcdefghijklmnopqrstuvwxyz" then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
