-- truth: always (LK090) violated
-- Two clients each store the time at which they came. A third one names a key by the time between. Truth: VIOLATED: A at
-- 0, B at 37.
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
    me:call("SET", "k" .. (b - a), 1)
    if me:call("EXISTS", "k37") == 1 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
