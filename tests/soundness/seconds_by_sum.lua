-- truth: always (LK090) violated
-- Whole seconds of the server's clock, and a difference of them that nobody writes.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

local take = "return redis.call('SET', KEYS[1], redis.call('TIME')[1] + 20)"
local look = "local till = redis.call('GET', KEYS[1]) " ..
    "if till and till - redis.call('TIME')[1] == #'abcdefg' then redis.call('SADD', KEYS[2], 'x') end return 1"
return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:eval(take, { "k" }, {})
      return
    end
    me:work()
    me:eval(look, { "k", "marks" }, {})
  end,
  always = function(v) return #v.queue == 0 end,
}
