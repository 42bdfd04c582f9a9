-- lint_clients.lua: findings about a lock library's client code, a driver, without running it: requests whose answers
-- are ignored, subscriptions without a check after them, releases that compare nothing, renewals without an end.
--
-- A rule reports only where nothing in the same function could be the missing part: a call of an unknown function could
-- be.
local tree = require "tree"

local clients = {}

local function name_of(node)
  if node.tag == "Invoke" then return node[2].tag == "String" and node[2][1] or nil end
  local called = node.tag == "Call" and node[1]
  if called and called.tag == "Index" and called[2].tag == "String" then return called[2][1] end
  return called and called.tag == "Id" and called[1] or nil
end

local function is_call(node)
  return node.tag == "Call" or node.tag == "Invoke"
end

-- me:eval(...), me:call(...), me:send(...), and evaluate.eval(me, ...) of the shipped module.
local sends = { eval = true, call = true, send = true }
local function is_request(node)
  if node.tag == "Invoke" then return sends[name_of(node)] or false end
  return node.tag == "Call" and node[1].tag == "Index" and node[1][1].tag == "Id" and node[1][1][1] == "evaluate" and
         name_of(node) == "eval"
end

local function text_of(node)
  return node and node.tag == "String" and node[1] or nil
end

-- The field of a table constructor; nil: there is none.
local function field(node, name)
  for i = 1, node and node.tag == "Table" and #node or 0 do
    if node[i].tag == "Pair" and text_of(node[i][1]) == name then return node[i][2] end
  end
end

local function operation(node)
  for i = #node, 3, -1 do
    local op = field(node[i], "op")
    if op then return text_of(op) end
  end
end

-- A block's function, its own statements and those below, but not other functions' in it.
local function within(block, visit)
  tree.walk(block, function(node)
    if node.tag == "Function" then return true end
    return visit(node)
  end)
end

-- Every list of statements, and the condition behind it that sees its names, if there is one.
local function each_block(block, visit)
  visit(block)
  tree.walk(block, function(node)
    local tag = node.tag
    if tag == "Function" or tag == "While" then visit(node[2])
    elseif tag == "Repeat" then visit(node[1], node[2])
    elseif tag == "Forin" then visit(node[3])
    elseif tag == "Fornum" then visit(node[#node])
    elseif tag == "Do" then visit(node)
    elseif tag == "If" then
      for i = 2, #node, 2 do visit(node[i]) end
      if #node % 2 == 1 then visit(node[#node]) end
    end
  end)
end

-- ---- a request whose answer is ignored ----

-- Is one of the names read in the statements behind number i, or in the condition? A name that hides another one counts
-- as read.
local function is_read(names, statements, i, condition)
  local known, found = {}, false
  for _, name in ipairs(names) do known[name[1]] = true end
  local function look(node) found = found or node.tag == "Id" and known[node[1]] or false end
  for at = i + 1, #statements do tree.walk({ statements[at] }, look) end
  tree.walk({ condition }, look)
  return found
end

-- The request of statement number i whose answer is dropped, or assigned to names that are never read; nil: none.
local function unheard_request(statements, i, condition)
  local request = statements[i]
  if request.tag == "Local" then
    local names, values = request[1], request[2] or {}
    request = #values == 1 and not is_read(names, statements, i, condition) and values[1]
  end
  return request and is_call(request) and is_request(request) and request or nil
end

-- The command that a request sends, in capitals.
local function command_of(node)
  if node.tag ~= "Invoke" or not (name_of(node) == "call" or name_of(node) == "send") then return nil end
  local word = text_of(node[3])
  return word and word:upper()
end

-- Whether a statement leaves an open transaction behind; `open`: there was one before it.
local function leaves_open(statement, open)
  within({ statement }, function(node)
    local command = command_of(node)
    if command == "MULTI" then open = true
    elseif command == "EXEC" or command == "DISCARD" then open = false end
  end)
  return open
end

-- What EXEC's answer tells is not asked of WATCH, nor of what hears only that it is queued.
local function unheard(statements, condition, report)
  local queued = false
  for i = 1, #statements do
    local request = unheard_request(statements, i, condition)
    queued = leaves_open(statements[i], queued)
    if request and not queued and command_of(request) ~= "WATCH" then
      report("LC001", request, "the answer of this request is not looked at: it may have failed, or never come",
             "take its reply and its problem, or say in a comment why neither matters")
    end
  end
end

-- ---- a subscription, and then a wait without a question ----

local waits = { sleep = true, acquire = true, wait = true, park = true }
-- Calls that send no request, whatever their arguments.
local quiet = { wants = true, refused = true, granted = true, gave_up = true, released = true, lost = true, log = true,
                use = true, now = true, monotonic = true, observe = true, semaphore = true, unsubscribe = true,
                release = true, min = true, max = true, floor = true, ceil = true, setmetatable = true, tostring = true,
                      tonumber = true, pairs = true, ipairs = true, spawn = true, step = true }

-- In the order of the text: the first wait after a subscription, unless a call in between may check.
local function unasked(block, report)
  local subscription, sent
  within(block, function(node)
    if not is_call(node) then return end
    local name = name_of(node)
    if name == "subscribe" or name == "subscribe_for_good" then
      subscription = node
    elseif name == "send_subscribe" then
      sent = node
    elseif sent and name == "wait" then        -- for its confirmation
      subscription, sent = sent, nil
    elseif subscription and waits[name] then
      local message = "the lock is not asked for again between this subscription and the wait ('%s') behind it: " ..
                      "what was said meanwhile is lost"
      report("LC002", subscription, message:format(name),
             "ask again after subscribing, and only then wait")
      subscription = nil
    elseif subscription and not quiet[name] and node.offset > subscription.end_offset then
      subscription = nil
    end
  end)
end

-- ---- a release that compares nothing ----

local deletes = { DEL = true, UNLINK = true, GETDEL = true }
local looks = { GET = true, HGET = true, HEXISTS = true, SISMEMBER = true, WATCH = true, MULTI = true }
local releases = { release = true, unlock = true }
-- Commands that tell a script nothing about who holds the lock.
local tells_nothing = { DEL = true, UNLINK = true, GETDEL = true, EXISTS = true, TYPE = true, TTL = true, PTTL = true,
                        PUBLISH = true, SPUBLISH = true, SET = true, TIME = true }

local function report_blind(node, report)
  report("LC003", node, "this release deletes the key without asking who holds the lock",
         "compare the owner and delete in one script, so that a late release does not free the next holder's lock")
end

-- `script.text "..."`, and the text.
local function literal_of(node)
  local called = node and node.tag == "Call" and node[1]
  local is_script = called and called.tag == "Index" and called[1].tag == "Id" and called[1][1] == "script" and
                    text_of(called[2]) == "text"
  return is_script and text_of(node[2]) or nil
end

-- Does this text of a script delete, and nothing in it could tell whose lock that is?
local function is_blind(text)
  local ok, source = pcall(tree.parse, "script", text)
  local deleted, told = false, not ok
  tree.walk(ok and source.block or {}, function(node)
    local called, command = tree.redis_call(node)
    local word = command and command[1]:upper()
    told = told or called ~= nil and not tells_nothing[word]
    deleted = deleted or deletes[word] or false
  end)
  return deleted and not told
end

-- The text of the script that a request names: as a literal, or by a local name that has one.
local function script_of(node, literals)
  local named = is_request(node) and node[3]
  if not named then return nil end
  return literal_of(named) or named.tag == "Id" and literals[named[1]] or node.tag == "Invoke" and
         name_of(node) == "eval" and text_of(named) or nil
end

local function has_look(node)
  local found = false
  within({ node }, function(part) found = found or looks[command_of(part)] or false end)
  return found
end

local comparisons = { eq = true, ne = true }
-- name: the function's, by which a request is known that says no operation. What was looked up counts once something
-- is decided by it, or compared.
local function uncompared(block, name, literals, report)
  local looked, compared = false, false
  within(block, function(node)
    local command = command_of(node)
    if command == "WATCH" or command == "MULTI" then compared = true end
    if node.tag == "If" or node.tag == "While" or node.tag == "Op" and comparisons[node[1]] then
      local asks = node.tag == "Op" and node or node[1]
      compared = compared or looked or has_look(asks)
    end
    looked = looked or looks[command] or false
    local text = is_call(node) and script_of(node, literals)
    local blind = command and deletes[command] and not compared or text and not compared and is_blind(text)
    if blind and releases[operation(node) or name] then
      report_blind(node, report)
    end
  end)
end

-- generic.lock { release = { "DEL", "$lock" } }, or a script that only deletes
local function uncompared_table(node, report)
  local release = field(node, "release")
  if not (release and field(node, "acquire")) then return end
  local word, text = release.tag == "Table" and text_of(release[1]), literal_of(release)
  if word and deletes[word:upper()] or text and is_blind(text) then
    report_blind(release, report)
  end
end

-- The scripts of the file that have a name of their own: no other local one shares it.
local function literals_of(block)
  local literals, shared = {}, {}
  tree.walk(block, function(node)
    if node.tag ~= "Local" then return end
    for i, target in ipairs(node[1]) do
      local name = target[1]
      literals[name] = not shared[name] and literal_of(node[2] and node[2][i]) or nil
      shared[name] = true
    end
  end)
  return literals
end

-- ---- a renewal without an end ----

local function is_constant(node, tag)
  while node.tag == "Paren" do node = node[1] end
  return node.tag == tag
end

-- Nothing in the loop leaves it, and its condition never changes.
local function is_endless(node)
  local endless = node.tag == "While" and is_constant(node[1], "True") or node.tag == "Repeat" and
                  is_constant(node[2], "False")
  if not endless then return false end
  within(node.tag == "While" and node[2] or node[1], function(part)
    endless = endless and part.tag ~= "Return" and part.tag ~= "Break" and part.tag ~= "Goto" and
              name_of(part) ~= "error"
  end)
  return endless
end

local function sleeps_and_calls(loop)
  local sleeps, calls = false, false
  within(loop, function(node)
    if not is_call(node) then return end
    sleeps = sleeps or name_of(node) == "sleep"
    calls = calls or name_of(node) ~= "sleep" and not quiet[name_of(node)]
  end)
  return sleeps and calls
end

-- The loop in `body`, a function, or in a function of the file that it calls as a statement.
local function endless_loop(body, functions, seen)
  local found
  within(body[2], function(part)
    found = found or (part.tag == "While" or part.tag == "Repeat") and is_endless(part) and
            sleeps_and_calls(part) and part or nil
  end)
  for _, statement in ipairs(found and {} or body[2]) do
    local called = statement.tag == "Call" and statement[1].tag == "Id" and functions.by_name[statement[1][1]]
    if called and not seen[called] then
      seen[called] = true
      found = found or endless_loop(called, functions, seen)
    end
  end
  return found
end

local function contains(list, node)
  local found = false
  tree.walk(list, function(part) found = found or part == node end)
  return found
end

-- The statement calls the task's function again, or the one that starts the task; or it starts it itself.
local function begins_again(statement, body, spawn, functions)
  local call = statement.tag == "Return" and #statement == 1 and statement[1] or statement
  if call.tag == "Call" and call[1].tag == "Id" then
    local called = functions.by_name[call[1][1]]
    return called == body or called ~= nil and contains(called[2], spawn)
  end
  for i = 3, call.tag == "Invoke" and name_of(call) == "spawn" and #call or 0 do
    if call[i].tag == "Id" and functions.by_name[call[i][1]] == body then return true end
  end
  return false
end

-- A function that ends by calling itself, and that nothing leaves before.
local function calls_itself(body, spawn, functions)
  local statements = body[2]
  local last = statements[#statements]
  if not last or not begins_again(last, body, spawn, functions) then return false end
  local leaves, sleeps, calls = false, false, false
  for i = 1, #statements - 1 do
    within({ statements[i] }, function(part)
      leaves = leaves or part.tag == "Return" or part.tag == "Goto" or name_of(part) == "error"
      sleeps = sleeps or is_call(part) and name_of(part) == "sleep"
      calls = calls or is_call(part) and name_of(part) ~= "sleep" and not quiet[name_of(part)]
    end)
  end
  return sleeps and calls and not leaves
end

local function endless_task(node, functions)
  for i = 3, node.tag == "Invoke" and name_of(node) == "spawn" and #node or 0 do
    local body = node[i].tag == "Id" and functions.by_name[node[i][1]] or node[i].tag == "Function" and node[i]
    local loop = body and (endless_loop(body, functions, { [body] = true }) or calls_itself(body, node, functions))
    if loop then return loop end
  end
end

local function cancels(block)
  local found = false
  tree.walk(block, function(node) found = found or node.tag == "Invoke" and name_of(node) == "cancel" end)
  return found
end

local function unended(node, functions, report, can_end)
  local loop = is_call(node) and endless_task(node, functions)
  if loop and not can_end then
    report("LC004", node, "this task renews for ever: nothing in its loop leaves it, and nothing cancels it",
           "end it when the lock is given back or lost: leave the loop, or keep the task and :cancel() it")
  end
end

-- ---- a file ----

local begins = { subscribe = true, send_subscribe = true, observe = true, spawn = true }

-- Does it call `me`, or load other client code? Otherwise it is no client code.
function clients.is_client(source)
  local found = false
  tree.walk(source.block, function(node)
    local name = is_call(node) and name_of(node)
    found = found or (node.tag == "Call" and node[1].tag == "Id" and (name == "require" or name == "script")) or
            (node.tag == "Invoke" and (sends[name] or begins[name]) or false)
  end)
  return found
end

-- A scenario is the test, and does on purpose what no driver should: it returns a table with a program, or a function's
-- result from one. Its own functions count as a driver's only if one of them registers a lock.
local function driver_of(block)
  local last = block[#block]
  local result = last and last.tag == "Return" and last[1]
  local is_test = result and
                  (is_call(result) or result.tag == "Table" and (field(result, "program") or field(result, "cases")))
  if not is_test then return block end
  local rest, registers = {}, false
  for i = 1, #block - 1 do rest[i] = block[i] end
  tree.walk(rest, function(node) registers = registers or node.tag == "Invoke" and name_of(node) == "observe" end)
  return registers and rest or {}
end

-- The functions of a file that have names: by_name, those that no other one shares its name with; names, of each.
local function functions_of(block)
  local by_name, names, shared = {}, {}, {}
  local function note(target, value)
    local name = value and value.tag == "Function" and (target.tag == "Id" and target[1] or
                 target.tag == "Index" and text_of(target[2]))
    if not name then return end
    names[value] = name
    shared[name] = shared[name] or by_name[name] ~= nil
    by_name[name] = not shared[name] and target.tag == "Id" and value or nil
  end
  tree.walk(block, function(node)
    if node.tag ~= "Local" and node.tag ~= "Localrec" and node.tag ~= "Set" then return end
    for i, target in ipairs(node[1]) do note(target, node[2] and node[2][i]) end
  end)
  return { by_name = by_name, names = names }
end

-- Calls report(code, node, message, hint) for each finding.
function clients.check(source, report)
  tree.walk(source.block, function(node)
    if node.tag == "Table" then uncompared_table(node, report) end
  end)
  local block = driver_of(source.block)
  local can_end, functions, literals = cancels(block), functions_of(block), literals_of(block)
  tree.walk(block, function(node)
    if node.tag == "Function" then
      unasked(node[2], report)
      uncompared(node[2], functions.names[node], literals, report)
    end
    unended(node, functions, report, can_end)
  end)
  each_block(block, function(statements, condition) unheard(statements, condition, report) end)
end

return clients
