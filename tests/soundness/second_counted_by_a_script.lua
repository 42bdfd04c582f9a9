-- truth: always (LK090) violated
-- A script counts the seconds of two times that B sends; it answers with a flag.
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
    if at and me:now() - at == 1 and me:eval(
      "return math.floor(ARGV[1] / 1000) ~= math.floor(ARGV[2] / 1000) and 1 or 0", {}, { me:now(), at }) == 1 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(view) return #view.queue == 0 end,
}
