-- truth: mutual_exclusion (LK001) violated (reader and writer each look for the other before they write down their own)
local function view(redis, name)
  local holders, modes, writer = {}, {}, redis.call("GET", name .. ":w")
  for _, reader in ipairs(redis.call("SMEMBERS", name .. ":r")) do
    holders[reader], modes[reader] = 1, "read"
  end
  if writer then
    holders[writer], modes[writer] = 1, "write"
  end
  return { holders = holders, modes = modes, ttl_ms = -1 }
end
return {
  title   = "look, then write",
  clients = { "A", "B", "C" },
  program = function(me)
    local writes = me.client == "A"
    local mode = writes and "write" or "read"
    me:observe("L", { view = view })
    me:wants("L", { mode = mode })
    if me:call("EXISTS", writes and "L:r" or "L:w") == 1 then
      me:refused("L")
      me:gave_up("L")
      return
    end
    if writes then
      me:call("SET", "L:w", me.id, { op = "acquire", lock = "L" })
    else
      me:call("SADD", "L:r", me.id, { op = "acquire", lock = "L" })
    end
    me:granted("L", { mode = mode })
    me:work(10)
    if writes then
      me:call("DEL", "L:w", { op = "release", lock = "L" })
    else
      me:call("SREM", "L:r", me.id, { op = "release", lock = "L" })
    end
    me:released("L")
  end,
  expect  = { lease_set = "violated" },
}
