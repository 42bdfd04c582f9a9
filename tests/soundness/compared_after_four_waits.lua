-- truth: always (LK090) violated
-- B comes at any time, waits four times, and only then looks how old is what A has written down.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "came", me:now())
      return
    end
    for _, ms in ipairs { 20, 30, 50, 110 } do
      me:sleep(ms)
    end
    local came = me:call("GET", "came")
    local age_ms = came and me:now() - tonumber(came) or 0
    if age_ms > 5000 and age_ms < 5003 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
