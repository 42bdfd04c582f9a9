-- checker.lua - mistakes for the checker itself: lists changes of one place in C files, or makes one of them.
-- Usage: lua checker.lua list SEED COUNT FILE...      COUNT of them, drawn with SEED:
-- `file:line:col<TAB>kind<TAB>function<TAB>line as it becomes`
--        lua checker.lua make FILE LINE COL KIND      writes the changed file to stdout
-- Kinds: compare (< for <=, == for !=), logic (&& for ||), boundary (+ 1 and - 1 are left out), drop (a statement is
-- left out: an assignment, a call, a break), answer (true for false), negation (! is left out), frozen (something is
-- not written into a frozen state), fact (a monitor does not say that it reads it). Each kind is drawn as often as any
-- other, as long as there are places for it. Comments, strings, assertions and preprocessor lines are not touched: an
-- assertion that is wrong is found by every run.

local swaps = {
  { "compare", " <= ", " < " }, { "compare", " < ", " <= " }, { "compare", " >= ", " > " },
  { "compare", " > ", " >= " },
  { "compare", " == ", " != " }, { "compare", " != ", " == " },
  { "logic", " && ", " || " }, { "logic", " || ", " && " },
  { "boundary", " + 1", "" }, { "boundary", " - 1", "" },
  { "answer", "return true", "return false" }, { "answer", "return false", "return true" },
  { "negation", "(!", "(" },
}

local function read(path)
  local f = assert(io.open(path, "rb"))
  local text = f:read("*a")
  f:close()
  return text
end

-- The text with comments and literals blanked, so that places stay where they are.
local function code_only(text)
  local blank = function(s) return (s:gsub("[^\n]", " ")) end
  local out, at = {}, 1
  while at <= #text do
    local two, one = text:sub(at, at + 1), text:sub(at, at)
    local stop
    if two == "/*" then
      stop = select(2, text:find("*/", at + 2, true)) or #text
    elseif two == "//" then
      stop = (text:find("\n", at, true) or #text + 1) - 1
    elseif one == '"' or one == "'" then
      stop = at + 1
      while stop < #text and text:sub(stop, stop) ~= one do
        stop = stop + (text:sub(stop, stop) == "\\" and 2 or 1)
      end
    end
    out[#out + 1] = stop and blank(text:sub(at, stop)) or one
    at = (stop or at) + 1
  end
  return table.concat(out)
end

local function lines_of(text)
  local lines = {}
  for line in (text .. (text:sub(-1) == "\n" and "" or "\n")):gmatch("(.-)\n") do lines[#lines + 1] = line end
  return lines
end

-- A statement that stands on a line of its own and is no declaration, return or assertion.
local function droppable(code)
  local s = code:match("^%s+(.-)%s*$")
  if not s or s:sub(-1) ~= ";" or s:find("[{}]") or s:find("^for%f[%W]") or s:find("^return") or s:find("^goto") then
    return false
  end
  if s == "break;" or s == "continue;" then return true end
  local _, opened = s:gsub("%(", "")
  local _, closed = s:gsub("%)", "")
  if opened ~= closed or s:find("^[%w_]+%s+%**[%w_]") or s:find("^[%w_]+%s*%*+%s*[%w_]+%s*[=;]") then return false end
  return s:find("^%**[%a_%(]") ~= nil and (s:find("=") or s:find("%(") or s:find("%+%+") or s:find("%-%-")) ~= nil
end

-- What is written into the bytes of a state.
local function writes_state(code)
  return code:find("^%s+buf_[%w_]+%(") or code:find("^%s+put_[%w_]+%(") or code:find("^%s+code_[%w_]+%(") or
         code:find("^%s+instant_put_[%w_]+%(") or code:find("^%s+freeze_[%w_]+%(")
end

-- The function or table that line n lies in.
local function name_at(codes, n)
  for i = n, 1, -1 do
    local name = codes[i]:match("^%a[^=;]*[%s%*]([%w_]+)%(") or codes[i]:match("^%a.-([%w_]+)[%[%]%w_]* = {%s*$")
    if name then return name end
  end
  return "-"
end

-- Calls found(line, col, kind, changed line) for each place of the file.
local function each(path, each_found)
  local text = read(path)
  local lines, codes = lines_of(text), lines_of(code_only(text))
  local function found(n, col, kind, changed) each_found(n, col, kind, changed, name_at(codes, n)) end
  for n, code in ipairs(codes) do
    if not code:find("^%s*#") and not code:find("assert") then
      for _, swap in ipairs(swaps) do
        local kind, from, to = unpack(swap)
        local at = code:find(from, 1, true)
        while at do
          if not (from == " + 1" or from == " - 1") or not code:find("^[%w_.]", at + #from) then
            found(n, at, kind, lines[n]:sub(1, at - 1) .. to .. lines[n]:sub(at + #from))
          end
          at = code:find(from, at + 1, true)
        end
      end
      local previous = codes[n - 1] or ""
      if droppable(code) and not previous:find("[,=&|?:(]%s*$") then
        found(n, #code:match("^%s*") + 1, writes_state(code) and "frozen" or "drop", code:match("^%s*") .. "; /* " ..
              code:match("^%s*(.-)%s*$") .. " */")
      end
      for first, fact in code:gmatch("()(FACT_[A-Z_]+)") do
        if code:find("|") or code:find("%.reads") or code:find("%] = ") then
          found(n, first, "fact", lines[n]:sub(1, first - 1) .. "0" .. lines[n]:sub(first + #fact))
        end
      end
      local from, to = code:find("%(uint64_t%)[%w_%.>%-%[%]]+ << %d+ | ")
      while from do
        found(n, from, "frozen", lines[n]:sub(1, from - 1) .. lines[n]:sub(to + 1))
        from, to = code:find("%(uint64_t%)[%w_%.>%-%[%]]+ << %d+ | ", to + 1)
      end
    end
  end
end

-- A steady order without a bias for files that come first, and that an edit elsewhere in the file leaves as it is:
-- Lehmer's generator over what the mutant is, not where it stands.
local function draw(seed, key)
  local h = seed % 2147483646 + 1
  for i = 1, #key do h = (h * 16807 + key:byte(i)) % 2147483647 end
  for _ = 1, 3 do h = (h * 16807) % 2147483647 end
  return h
end

local function list(seed, count, files)
  local of, kinds, drawn, places, times = {}, {}, 0, 0, {}
  for _, path in ipairs(files) do
    each(path, function(line, col, kind, changed, name)
      local place = ("%s:%d:%d"):format(path, line, col)
      if not of[kind] then
        of[kind] = {}
        kinds[#kinds + 1] = kind
      end
      local what = table.concat({ path, kind, name, changed }, "\t")
      times[what] = (times[what] or 0) + 1
      table.insert(of[kind], { key = draw(seed, what .. times[what]), place = place, kind = kind, name = name,
                               changed = changed })
      places = places + 1
    end)
  end
  table.sort(kinds)
  for _, kind in ipairs(kinds) do
    table.sort(of[kind], function(a, b)
      if a.key ~= b.key then return a.key < b.key end
      return a.place < b.place
    end)
  end
  local turn = 0
  while drawn < math.min(count, places) do
    turn = turn + 1
    for _, kind in ipairs(kinds) do
      local m = of[kind][turn]
      if m and drawn < count then
        print(table.concat({ m.place, m.kind, m.name, m.changed }, "\t"))
        drawn = drawn + 1
      end
    end
  end
  io.stderr:write(("%d places, %d drawn\n"):format(places, drawn))
end

local function make(path, line, col, kind)
  local lines, done = lines_of(read(path)), false
  each(path, function(n, at, k, changed)
    if n == line and at == col and k == kind then lines[n], done = changed, true end
  end)
  if not done then
    io.stderr:write(("%s:%d:%d: error: no place for `%s` is there\n"):format(path, line, col, kind))
    os.exit(1)
  end
  io.write(table.concat(lines, "\n"), "\n")
end

if arg[1] == "list" and arg[4] then
  list(tonumber(arg[2]), tonumber(arg[3]), { unpack(arg, 4) })
elseif arg[1] == "make" and arg[5] then
  make(arg[2], tonumber(arg[3]), tonumber(arg[4]), arg[5])
else
  io.stderr:write("usage: checker.lua list SEED COUNT FILE... | make FILE LINE COL KIND\n")
  os.exit(64)
end
