-- truth: always (LK090) violated
-- As prolonged_behind_an_age.lua, with a field of a hash: HPEXPIREAT GT.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  dialect = "redis 8.0",
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:eval([[redis.call("HSET", KEYS[1], "A", 1) return redis.call("HPEXPIRE", KEYS[1], 50, "FIELDS", 1, "A")]], { "lease" })
      return
    end
    if me.client == "B" then me:call("SET", "b", me:now()) return end
    local b = me:call("GET", "b")
    if not b or me:now() - b < 12 then return end
    local changed = me:call("HPEXPIREAT", "lease", b + 20, "GT", "FIELDS", 1, "A")
    if changed[1] == 1 then me:call("SADD", "marks", "x") end
  end,
  always = function(view) return #view.queue == 0 end,
}
