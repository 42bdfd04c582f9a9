-- truth: holds
-- Each client stores a second of its clock at any moment, for good: B never finds one that is ahead of its own, however
-- old it is by then.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    me:work()
    local now_s = math.floor(me:now() / 1000)
    local last_s = tonumber(me:call("GETSET", "last", now_s) or 0)
    if last_s > now_s then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
