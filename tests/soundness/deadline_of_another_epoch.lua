-- truth: mutual_exclusion (LK001) violated
-- The lock whose value is "deadline|owner", the deadline in milliseconds since 2020: B takes it from A a millisecond too early.
local function spell(ms) return tostring(ms - 1600000000000) end
local function instant(text) return tonumber(text) + 1600000000000 end

local function view(redis, name)
  local text, owner = (redis.call("GET", name) or ""):match("^(.-)|([AB]:1)$")
  local left_ms = text and redis.ms_left(instant(text))
  if not left_ms or left_ms < 0 then
    return { holders = {}, queue = {}, keys = {} }
  end
  return { holders = { [owner] = 1 }, ttl_ms = left_ms, queue = {}, keys = { name } }
end

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", { view = view, spec = "mutex" })
    if me.client == "B" then
      me:work()
    end
    me:wants("L")
    local mine = spell(me:now() + 1000) .. "|" .. me.id
    local got = me:call("SETNX", "L", mine, { op = "acquire", lock = "L", lease = 1000 }) == 1
    local other = not got and me:call("GET", "L")
    if other and instant(other:match("^(.-)|")) <= me:now() then
      got = me:call("SET", "L", mine, { op = "acquire", lock = "L", lease = 1000 }) == "OK"
    end
    if got then                                    -- and never gives it back
      me:granted("L", { lease = 1000 })
    else
      me:refused("L")
      me:gave_up("L")
    end
  end,
  expect = { no_leak = "violated" },
}
