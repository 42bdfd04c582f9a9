-- truth: always (LK090) violated
-- A limiter of fixed windows: the window's number is a part of the key. B comes in the window after A's.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

local window_ms = 5000
return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    local window = math.floor(me:now() / window_ms)
    if me.client == "A" then
      me:call("SET", "limit:" .. window + 1, "full")
      return
    end
    me:work()
    if me:call("EXISTS", "limit:" .. math.floor(me:now() / window_ms)) == 1 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
