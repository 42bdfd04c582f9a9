-- shared.lua: what the tasks of a process share about one lock: a table of its own, made when first asked for. A lock is known by its name
-- and its servers.
return function(me, name)
  local all, key = me.process, me:full_name(name)
  if all[key] == nil then
    all[key] = {}
  end
  return all[key]
end
