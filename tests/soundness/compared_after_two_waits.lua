-- truth: always (LK090) violated
-- Between what B reads and what it compares lie two sleeps and a request; the constant is a product.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", me:now() + 400)
      return
    end
    me:work()
    local till = tonumber(me:call("GET", "k") or nil)
    me:sleep(13)
    me:call("PING")
    me:sleep(29)
    if till and till - me:now() == 7 * 11 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
