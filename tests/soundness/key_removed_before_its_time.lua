-- truth: always (LK090) violated
-- The server removes an expired key by itself, and its clock goes back behind the deadline: the key is gone too early.
local marks = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    local from = me:now()
    local function passed_ms()
      local t = me:call("TIME")
      return t[1] * 1000 + t[2] / 1000 - from
    end
    me:call("SET", "k", "x", "PX", 1000)
    me:sleep(1005)
    if passed_ms() < 1000 and me:call("EXISTS", "k") == 0 then me:call("SADD", "marks", "x") end
  end,
  faults = { server_clock_jump = { 1, ms = -501 } },
  always = function(view) return #view.queue == 0 end,
}
