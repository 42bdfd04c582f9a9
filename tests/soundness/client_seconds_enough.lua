-- truth: holds
-- A lock of two fields, whose end is a second that the client sends: it is kept through the second after the one in
-- which it was taken. Taken in the last millisecond of one, it is over after 1,001 ms. The client is promised one less.
local function view(redis, l)
  local owner = redis.call("HGET", l, "owner")
  return { holders = owner and { [owner] = 1 } or {}, ttl_ms = redis.call("PTTL", l), queue = {}, keys = owner and { l } or {} }
end

local acquire = [[
local till_s = redis.call("HGET", KEYS[1], "till")
if till_s and tonumber(till_s) >= tonumber(ARGV[2]) then return 0 end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "till", ARGV[2] + 1)
redis.call("PEXPIRE", KEYS[1], 2000)
return 1]]

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", { view = view })
    me:sleep(2000)
    me:work()
    me:wants("L")
    local now_s = (me:now() - me:now() % 1000) / 1000
    if me:eval(acquire, { "L" }, { me.id, now_s }, { op = "acquire", lock = "L" }) == 1 then
      me:granted("L", { lease = 1000 })
      me:work(1000)
    else
      me:refused("L")
      me:gave_up("L")
    end
  end,
}
