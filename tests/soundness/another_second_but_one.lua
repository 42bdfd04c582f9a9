-- truth: holds
-- B comes at most a second after A: never two seconds further.
local marks = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    me:sleep(2000)
    me:work()
    if me.client == "A" then
      me:call("SET", "at", me:now())
      return
    end
    local at = tonumber(me:call("GET", "at"))
    if at and me:now() - at <= 1000 and math.floor(me:now() / 1000) - math.floor(at / 1000) == 2 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(view) return #view.queue == 0 end,
}
