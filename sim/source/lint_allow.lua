-- lint_allow.lua: `-- locksim: allow LS004 reason` silences that code on its own line, or on the next line of code if
-- it stands alone.
local allow = {}

local function line_of(source, offset)
  return require("tree").place(source, offset)
end

-- Lines with code, so that a comment of several lines may precede the line that it is about.
local function next_code_line(source, line)
  for i = line + 1, #source.lines do
    local text = source.text:sub(source.lines[i], (source.lines[i + 1] or #source.text + 2) - 2)
    if text:find("%S") and not text:find("^%s*%-%-") then return i end
  end
  return line
end

local function stands_alone(source, comment)
  local line = line_of(source, comment.offset)
  return source.text:sub(source.lines[line], comment.offset - 1):find("^%s*$") ~= nil
end

-- Comments about codes of the other kind are ignored here.
local function read(source, add, kind)
  local all = {}
  for _, comment in ipairs(source.comments) do
    local rest = comment.contents:match("^%s*locksim:%s*(.*)$")
    if rest then
      local line, col = require("tree").place(source, comment.offset)
      local word, codes, reason = rest:match("^(%a+)%s+(L[CS]%d+[LCS%d,%s]*)(.*)$")
      local ours = not codes or codes:find(kind, 1, true)
      if not ours then -- luacheck: ignore
      elseif word ~= "allow" then
        add("LS025", line, col, col, "this comment is not understood", "-- locksim: allow LS008 why it is fine here")
      else
        if not reason:find("%S") then
          add("LS025", line, col, col, "why is this allowed? the comment gives no reason",
              "-- locksim: allow LS008 why it is fine here")
        end
        local target = stands_alone(source, comment) and next_code_line(source, line) or line
        for code in codes:gmatch(kind .. "%d+") do
          all[#all + 1] = { line = target, code = code, at = line, col = col, used = false }
        end
      end
    end
  end
  return all
end

-- The findings that no comment allows, and one for each comment that allows nothing.
-- kind: "LS" of scripts, "LC" of client code.
function allow.apply(source, found, add, kind)
  local all = read(source, add, kind)
  local left = {}
  for _, f in ipairs(found) do
    local silent = false
    for _, a in ipairs(all) do
      if a.line == f.line and a.code == f.code then a.used, silent = true, true end
    end
    if not silent then left[#left + 1] = f end
  end
  for _, a in ipairs(all) do
    if not a.used then
      left[#left + 1] = { line = a.at, col = a.col, end_col = a.col, code = "LS025", hint = "take the comment away",
                          message = ("%s is not found here: nothing to allow"):format(a.code) }
    end
  end
  return left
end

return allow
