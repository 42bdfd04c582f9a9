-- Every text that a scenario can put on a page tries to leave its place; two clients that never exclude each other make sure that all are told.
local driver = {}
function driver.view(redis, name)
  local owner = redis.call("GET", name)
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", name), queue = {}, keys = owner and { name } or {} }
end

local harm = "</title></text></svg></script><script>alert('x')</script><img src=x onerror=alert(1)> \" onload=\"alert(2) ' & ]]> \27[31m \255\254 " ..
  "\226\128\174 \226\128\143 \226\129\166 \215\169\215\156\215\149\215\157 --> {{7*7}} ${7*7} javascript:alert(3)"
local set = script.text "return redis.call('set', KEYS[1], ARGV[1], 'PX', 1000)"

return {
  title   = harm,
  clients = { "A", "B" },
  program = function(me)
    me:observe(harm, driver)
    me:wants(harm)
    me:eval(set, { harm }, { me.id }, { op = "acquire", lock = harm, lease = 1000 })
    me:granted(harm, { lease = 1000 })
    me:log(harm)
    me:call("SET", "</td></table><h1>", harm .. "\0")
    me:work(10)
    me:call("PUBLISH", harm, harm)
    me:eval(script.text "return redis.error_reply('</pre><svg onload=alert(4)>')", { harm }, {}, { op = "release", lock = harm })
  end,
}
