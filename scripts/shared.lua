-- shared.lua: what the tasks of a process share about one server: a table of its own for each name, made when first asked for.
return function(me, name)
  local all, key = me.process, me.server == 1 and name or name .. "@" .. me.server
  if all[key] == nil then
    all[key] = {}
  end
  return all[key]
end
