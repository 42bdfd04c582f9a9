-- truth: always (LK090) violated
-- A takes a lease of 50 ms, B stores when it came. C waits until that is 12 ms old, and prolongs the lease to 20 ms after
-- it, by PEXPIREAT GT. Truth: VIOLATED: A at 0, B at 31, C at 43.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then me:call("SET", "lease", "A", "PX", 50) return end
    if me.client == "B" then me:call("SET", "b", me:now()) return end
    local b = me:call("GET", "b")
    if not b or me:now() - b < 12 then return end
    if me:call("PEXPIREAT", "lease", b + 20, "GT") == 1 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
