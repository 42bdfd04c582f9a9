-- truth: always (LK090) violated
-- A key is old after six hours, a number that nobody writes: it is a product. B may come as late.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", me:now())
      return
    end
    me:work()
    local since = tonumber(me:call("GET", "k") or nil)
    if since and me:now() - since > 6 * 60 * 60 * 1000 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
