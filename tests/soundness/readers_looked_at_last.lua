-- truth: holds, LK002 too (reader and writer each write down their own before they look for the other)
local function view()
  return { holders = {}, keys = {} }
end
return {
  title   = "write, then look",
  clients = { "A", "B", "C" },
  program = function(me)
    local writes = me.client == "A"
    local mode = writes and "write" or "read"
    local function undo()
      if writes then me:call("DEL", "L:w") else me:call("SREM", "L:r", me.id) end
    end
    me:observe("L", { view = view })
    me:wants("L", { mode = mode })
    if writes then me:call("SET", "L:w", me.id) else me:call("SADD", "L:r", me.id) end
    if me:call("EXISTS", writes and "L:r" or "L:w") == 1 then
      undo()
      me:refused("L")
      me:gave_up("L")
      return
    end
    me:granted("L", { mode = mode })
    me:work(10)
    undo()
    me:released("L")
  end,
  expect  = { strict_mutual_exclusion = "holds" },
}
