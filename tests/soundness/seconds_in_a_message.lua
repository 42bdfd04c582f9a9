-- truth: always (LK090) violated
-- A script publishes the second in which it runs. B gets two of these messages and marks that they differ: they do where
-- A works that long in between.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
local publish = [[return redis.call("PUBLISH", KEYS[1], redis.call("TIME")[1])]]

return {
  clients = { { "A", start_ms = 100 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    if me.client == "A" then
      me:eval(publish, { "beat" })
      me:work()
      me:eval(publish, { "beat" })
      return
    end
    local first
    me:subscribe("beat", function(task, second)
      first = first or second
      if first ~= second then task:call("SADD", "marks", "x") end
    end)
    me:sleep(5000)
  end,
  always = function(view) return #view.queue == 0 end,
}
