-- shared.lua: the shared memory of a process for one lock: a table of its own, made when first asked for. A lock
-- is known by its name and its servers.
-- Upstream such tables are concurrent maps (computeIfAbsent, putIfAbsent), or are there from the start.
local function find_or_make(me, key)
  local all = me.process
  if all[key] == nil then
    all[key] = {}
  end
  return all[key]
end

return function(me, name)
  return me:atomic(find_or_make, me, me:full_name(name))
end
