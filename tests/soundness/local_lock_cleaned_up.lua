-- truth: mutual_exclusion (LK001) violated (two threads of A have local locks of their own, and Redis lets both in)
-- In Redis the owner is the process, which may ask again; a local lock keeps its threads apart. A clean-up throws it
-- away while it is in use.
local function view(redis, name)
  return { holders = {}, ttl_ms = redis.call("PTTL", name), keys = redis.call("EXISTS", name) == 1 and { name } or {} }
end

local acquire = [[
local owner = redis.call("GET", KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[1], "PX", 60000)
return 1]]

return {
  clients = { { "A", threads = 2 }, "B" },
  program = function(me)
    local shared = me.process
    me:observe("L", { view = view })
    if not shared.lock or me.thread == 2 then
      shared.lock = me:semaphore(1)
    end
    shared.lock:acquire()
    me:wants("L")
    while me:eval(acquire, { "L" }, { me.client }, { op = "acquire", lock = "L", lease = 60000 }) ~= 1 do
      me:refused("L")
      me:sleep(100)
    end
    me:granted("L", { lease = 60000 })
    me:work(50)
    me:call("DEL", "L", { op = "release", lock = "L" })
    me:released("L")
    shared.lock:release()
  end,
}
