-- lint_rules_commands.lua: commands that Redis 7.0 does not have, or not for scripts, or not any more; and what it
-- offers beside them.
local commands = require "lint_commands"

local rules = {}

local function distance_word(w, name)
  -- The nearest known name, by differing letters: a typing error has one or two.
  local best, best_cost
  for known in pairs(w.commands) do
    if math.abs(#known - #name) <= 1 and not known:find("|", 1, true) then
      local cost, at = math.abs(#known - #name), 1
      for i = 1, #name do
        if name:sub(i, i) == known:sub(at, at) then at = at + 1
        elseif name:sub(i, i) == known:sub(at + 1, at + 1) then at, cost = at + 2, cost + 1
        else at, cost = #known < #name and at or at + 1, cost + 1 end
      end
      if cost <= 2 and (not best or cost < best_cost or (cost == best_cost and known < best)) then
        best, best_cost = known, cost
      end
    end
  end
  return best
end

local function arity(w, call)
  local row = call.subcommand or call.row
  local given = #call.args + 1
  if call.open then return end
  local wanted = row.arity
  if wanted > 0 and given ~= wanted or wanted < 0 and given < -wanted then
    local least = wanted < 0 and "at least " or ""
    w:report("LS017", call.node, ("'%s' takes %s%d arguments, not %d"):format(call.name, least, math.abs(wanted) - 1,
                                                                              given - 1))
  end
end

function rules.command(w, _, call)
  if not call.row then
    local near = distance_word(w, call.name)
    w:report("LS017", call.nodes.name or call.node, ("Redis 7.0 has no command '%s'"):format(call.name),
             near and ("did you mean '%s'?"):format(near) or nil)
    return
  end
  if call.row.flags:find("noscript", 1, true) and not call.subcommand then
    w:report("LS017", call.node, ("'%s' is not allowed in scripts"):format(call.name), "its client has to send it")
    return
  end
  if not call.row.flags:find("refused", 1, true) then arity(w, call) end
  local instead = commands.instead_of(call.name)
  if instead then w:report("LS019", call.node, ("'%s' is deprecated"):format(call.name), "use " .. instead) end
end

function rules.commandless(w, _, node)
  w:report("LS017", node, "there is no command in this call", "redis.call('get', KEYS[1])")
end

function rules.library(w, _, node, name)
  if name == "redis.replicate_commands" then
    w:report("LS019", node, "redis.replicate_commands does nothing since Redis 7.0",
             "leave it out: effects are always replicated")
  elseif name == "table.getn" or name == "table.foreach" or name == "table.foreachi" or name == "math.mod" or
      name == "string.gfind" then
    w:report("LS019", node, ("%s is deprecated in Lua 5.1"):format(name),
             ({ ["table.getn"] = "use #list", ["math.mod"] = "use %", ["string.gfind"] = "use string.gmatch" })[name] or
             "use a for loop")
  end
end

return rules
