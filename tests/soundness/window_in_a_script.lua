-- truth: always (LK090) violated
-- The same in a script: four milliseconds of 30,000, by what it makes of its arguments.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

local look = "local left, third = redis.call('PTTL', KEYS[1]), math.floor(ARGV[1] / 3) - 11 " ..
    "if left >= third and left <= third + 3 then redis.call('SADD', KEYS[2], 'x') end return 1"
return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", "x", "PX", 30000)
      return
    end
    me:work()
    me:eval(look, { "k", "marks" }, { 30000 })
  end,
  always = function(v) return #v.queue == 0 end,
}
