-- truth: holds
-- A key says when it was made and lives for an hour: as long as it is there, no more than an hour has passed.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", me:now(), "PX", 60 * 60 * 1000)
      return
    end
    me:work()
    local since = tonumber(me:call("GET", "k") or nil)
    if since and me:now() - since > 60 * 60 * 1000 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
