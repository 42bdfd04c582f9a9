-- generic.lua: a driver from a table, for a lock that is an acquire script and a release script and nothing else:
--
--   local mine = generic.lock {
--     acquire = "acquire.lua", release = "release.lua",     -- files beside the scenario, or script.text(...); renew =
--     ... if there is one
--     keys    = { "$lock" },                                -- of every script; or { acquire = {...}, release = {...}
--             }
--     args    = { acquire = { "$owner", "$lease_ms" }, release = { "$owner" } },
--     granted = 1,                                          -- the acquire script's reply that means "yours" (absent:
--                                                           nil)
--     holder  = "string value",                             -- where the lock's key keeps its owner
--   }
--
-- granted may be a word, "$owner"; begin an array, { 1, "$lock" }, whatever follows in the reply; or be a
-- function(reply, words) that returns true or false; released is the same for release, whose nil and 0 else mean
-- "not the owner"; released = false: the reply does not say whether it was the owner's. With refused = "error" an
-- acquire that answers with an error has refused, and a release has found another owner. holder is "string value",
-- "hash field", "sorted set member", "set member", "list item", "nobody" (the lock does not say) or a
-- function(redis, key). With limit = n so many may hold at once, a semaphore: each acquisition has a $token of its
-- own; holder = "count" then: the key's value is how many permits are out.
--
-- Where no key's time to live ends a hold, ends says what does: of a sorted set's members, what their scores are,
-- "$until_ms" or "$until_s", the instant from which on another may come, "$now_ms" or "$now_s", when it was taken, a
-- lease before that; with " + 1" it is held through that millisecond or second, too. Of any other, a function(redis,
-- key, owner) gives that instant in milliseconds, or nil: none ends it. A key that stores a time, outlives the lease
-- and has no ends is an error: whether that time ends the hold, or (ends = false) nothing does, only its author knows.
--
-- "locks.lua:acquire" is the function `acquire` of a library of Redis functions, called by FCALL.
--
-- In place of a script there may be a command, a list of words: acquire = { "SET", "$lock", "$token", "NX", "PX",
-- "$lease_ms" }, granted = "OK"; or for acquire several, one request each: the first one's reply decides, the others
-- follow when it was granted. What they must reply may be said, else the lock is given back: { "WAIT", 1, 100,
-- at_least = 1 }, { "GET", "$lock", equals = "$try" }. With within_lease = true what the acquisition took is part of
-- the lease: it counts as refused, and is given back, when the lease is over before the last answer is there.
-- With fencing = true a granted acquire replies a number above 0, or the same as a text, the fencing token: lock.fence,
-- for me:use(resource, lock.fence). Keys that are meant to outlive the lock, such as the tokens' counter, are named in
-- lasting = { "{$lock}:fence" }.
--
-- Words that begin with $ are filled in for each call: $lock, its name; $owner, "A:1"; $token, fresh for each
-- acquisition and the same for its renewals and release; $try, fresh each time the acquisition asks, and the same for
-- what follows; $call, fresh for each call; $reply, what the acquire answered that was granted, and of an array
-- $reply[2]; $lease_ms, $lease_s; $now_ms, $now_s, the client's clock; $until_ms, $until_s, when the lease ends by it;
-- $wait_ms; $limit; $#owner, $#token, how long these are; $channel, "{order:42}:channel" unless the table says
-- otherwise: in one cluster slot with the lock. locksim-scenario(5) lists every field.
local evaluate = require "evaluate"
local holdings = require "holdings"
local holds = require "holds"
local keyspace = require "keyspace"
local pubsub = require "pubsub"
local untold = require "untold"

local M = {}

local fields = {
  acquire = true, release = true, renew = true, keys = true, args = true, granted = true, still_held = true,
  wait = true, retry_ms = true, channel = true, lease_ms = true, renew_every_ms = true, holder = true, spec = true,
  fencing = true, lasting = true, within_lease = true, limit = true, refused = true, released = true, runtime = true,
  key = true, ends = true,
}
local waits = { spin = true, sleep = true, pubsub = true }
local holders = {
  ["hash field"] = true, ["string value"] = true, ["sorted set member"] = true, ["set member"] = true,
  ["list item"] = true, nobody = true, count = true,
}
local specs = { mutex = true, idempotent = true, idempotent_mutex = true, reentrant = true, fair = true,
                semaphore = true, none = true }
local known_words = "$lock $owner $token $try $lease_ms $lease_s $now_ms $now_s $until_ms $until_s $wait_ms $limit " ..
                    "$channel $call $reply $#owner $#token"

local idempotent = { idempotent = true, idempotent_mutex = true }

local function listed(set)
  local names = {}
  for name in pairs(set) do
    names[#names + 1] = name
  end
  return table.concat(names, ", ")
end

local mentions

-- Did init leave a "?" there?
local function gap_in(lists, path)
  for at, item in pairs(lists) do
    local here = path .. (type(at) == "number" and "[" .. at .. "]" or "." .. tostring(at))
    local gap = item == "?" and here or type(item) == "table" and gap_in(item, here)
    if gap then
      return gap
    end
  end
end

-- The first word of these lists, or of a list in them, that nothing fills in; and the text it stands in.
local function unknown_word(lists)
  for _, item in pairs(lists) do
    local name, text
    if type(item) == "table" then
      name, text = unknown_word(item)
    elseif type(item) == "string" then
      for word in item:gmatch("%$#?[%a_]+") do
        if not (" " .. known_words .. " "):find(" " .. word .. " ", 1, true) then
          return word, item
        end
      end
    end
    if name then
      return name, text
    end
  end
end

-- What no reply of Redis can be like, so that no client would ever be granted anything.
local function check_granted(granted, field, level)
  local kind = type(granted)
  if kind == "table" then
    if granted[1] == nil then
      error("generic.lock: " .. field .. " = {}: an array of replies has a first one; leave it out for nil", level)
    end
    for i, item in ipairs(granted) do
      check_granted(item, field .. "[" .. i .. "]", level + 1)
    end
  elseif kind == "boolean" then
    error("generic.lock: " .. field .. " = " .. tostring(granted) .. ": no reply is a boolean; a script's true is " ..
          "1, its false is nil", level)
  elseif kind == "number" and granted ~= math.floor(granted) then
    error("generic.lock: " .. field .. " = " .. granted .. ": no reply is a fraction; Redis cuts numbers to whole " ..
          "ones", level)
  end
end

-- A command's replies are known before it is sent.
local command_replies = { SET = "string", SETNX = "number", HSETNX = "number", SADD = "number", ZADD = "number",
                          INCR = "number", HINCRBY = "number" }

-- The words of acquire's commands can be sent.
local function check_words(acquire)
  for _, words in ipairs(type(acquire[1]) == "table" and acquire or { acquire }) do
    for i = 1, math.max(#words, 1) do
      local kind = type(words[i])
      if kind ~= "string" and (kind ~= "number" or i == 1) then
        error("generic.lock: acquire: word " .. i .. " of a command is a " .. kind .. "; a command is its name, " ..
              "then strings and numbers", 4)
      end
    end
  end
end

local function is_said(words, name)
  for _, word in ipairs(words) do
    if string.upper(tostring(word)) == name then
      return true
    end
  end
  return false
end

local function check_command(acquire, granted)
  local first = type(acquire) == "table" and (type(acquire[1]) == "table" and acquire[1] or acquire)
  local replies = first and command_replies[string.upper(tostring(first[1]))]
  if replies and granted ~= nil and type(granted) ~= "function" and type(granted) ~= replies then
    error("generic.lock: granted is a " .. type(granted) .. ", and " .. tostring(first[1]) .. " never replies one: " ..
          (replies == "string" and 'it replies "OK" or nil' or "it replies a number"), 4)
  end
  if replies == "string" and granted == nil and not is_said(first, "GET") then  -- with GET the old value, so nil
    error("generic.lock: granted is left out, which means nil, and SET replies nil to whom it refuses: " ..
          'granted = "OK"', 4)
  end
end

-- The script's text tells what it can answer at most: constants. Can one of them be what `granted` wants?
local function can_be(answers, granted, fencing)
  if fencing then
    for _, number in ipairs(answers) do
      if number > 0 then return true end
    end
    return false
  end
  local kind = type(granted)
  if kind == "number" then
    for _, number in ipairs(answers) do
      if number == granted then return true end
    end
    return false
  end
  return kind == "function" or answers[({ table = "array", string = "text" })[kind] or kind]
end

local function answers_in_words(answers)
  local words = {}
  for _, number in ipairs(answers) do
    words[#words + 1] = tostring(number)
  end
  for _, kind in ipairs { "nil", "text", "array" } do
    if answers[kind] then
      words[#words + 1] = kind == "nil" and kind or "some " .. kind
    end
  end
  return table.concat(words, ", ")
end

local function check_answers(given, acquire)
  local answers = acquire.answers    -- a command's words have none
  if answers and not can_be(answers, given.granted, given.fencing) then
    error("generic.lock: " .. acquire.name .. " never answers what `granted` says: it answers " ..
          answers_in_words(answers), 3)
  end
end

local function check_limit(given)
  local limit = given.limit
  if limit == nil then
    if given.holder == "count" then
      error('generic.lock: holder = "count" needs limit = n: the permits of a semaphore are counted', 4)
    end
    if given.spec == "semaphore" then
      error('generic.lock: spec = "semaphore" needs limit = n, how many may hold at once', 4)
    end
    return
  end
  if type(limit) ~= "number" or limit < 1 or limit ~= math.floor(limit) then
    error("generic.lock: limit = " .. tostring(limit) .. " is not a whole number from 1 on", 4)
  end
  if given.spec ~= nil and given.spec ~= "semaphore" then
    error("generic.lock: limit = " .. limit .. " makes it a semaphore, not spec = '" .. tostring(given.spec) .. "'", 4)
  end
  if given.holder == nil or given.holder == "string value" or given.holder == "nobody" then
    error("generic.lock: with limit, holder has to say where its owners are: \"sorted set member\", \"set " ..
          "member\", \"list item\", \"hash field\", or a function", 4)
  end
end

-- The table's lengths, and those that a lock is given in their place. NaN and infinity are none.
local lengths = { lease_ms = 1, renew_every_ms = 1, retry_ms = 0 }

local function check_lengths(given, level)
  for name, least in pairs(lengths) do
    local ms = given[name]
    if ms ~= nil and (type(ms) ~= "number" or not (ms >= least and ms < 1e15) or ms ~= math.floor(ms)) then
      local said = type(ms) == "number" and " = " .. ms or " is a " .. type(ms)
      error("generic.lock: " .. name .. said .. "; it is a whole number of milliseconds from " .. least .. " on",
            level + 1)
    end
  end
end

local function check_kind(given, name, kinds, what)
  local kind = type(given[name])
  if kind ~= "nil" and not kinds[kind] then
    error("generic.lock: " .. name .. " is a " .. kind .. "; it is " .. what, 5)
  end
end

-- One list for all scripts, or one for each of them.
local function check_lists(given, name)
  for op, words in pairs(given[name] or {}) do
    if type(op) == "string" and op ~= "acquire" and op ~= "release" and op ~= "renew" then
      error("generic.lock: unknown field '" .. op .. "' of " .. name .. "; known: acquire, release, renew", 5)
    elseif type(op) == "string" and type(words) ~= "table" then
      error("generic.lock: " .. name .. "." .. op .. " is a " .. type(words) .. '; it is a list, such as { "$lock" }',
            5)
    end
  end
end

local function check_kinds(given)
  local flag, text, list = { boolean = true }, { string = true }, { table = true }
  for _, name in ipairs { "within_lease", "fencing" } do
    check_kind(given, name, flag, "true or false")
  end
  for _, name in ipairs { "channel", "key" } do
    check_kind(given, name, text, 'a text, such as "{$lock}:' .. name .. '"')
  end
  for _, name in ipairs { "keys", "args", "lasting" } do
    check_kind(given, name, list, 'a list, such as { "$lock" }')
  end
  for _, name in ipairs { "acquire", "release", "renew" } do
    check_kind(given, name, { string = true, table = true, userdata = true },
               "a script's file, script.text(...), or a command, a list of words")
  end
  check_kind(given, "still_held", { string = true, number = true }, "one answer, a number or a text")
  check_lists(given, "keys")
  check_lists(given, "args")
end

local function check_ends(given)
  local ends, holder = given.ends, given.holder
  if not ends or type(ends) == "function" then
    return
  end
  local score = type(ends) == "string" and holdings.score_of(ends)
  if not score then
    error("generic.lock: ends = '" .. tostring(ends) .. "'; known: \"$until_ms\", \"$until_s\", \"$now_ms\", " ..
          "\"$now_s\", each with \" + 1\" or not, a function(redis, key, owner), or false", 4)
  end
  if holder ~= "sorted set member" then
    error('generic.lock: ends = "' .. ends .. '" says what a score is: it needs holder = "sorted set member"; of ' ..
          "any other, ends is a function(redis, key, owner)", 4)
  end
  if score.since and not given.lease_ms then
    error('generic.lock: ends = "' .. ends .. '" needs lease_ms: a hold ends so long after it was taken', 4)
  end
end

local function check(table_given)
  for name in pairs(table_given) do
    if not fields[name] then
      error("generic.lock: unknown field '" .. tostring(name) .. "'; known: " .. listed(fields), 3)
    end
  end
  if table_given.acquire == nil or table_given.release == nil then
    error("generic.lock: it needs `acquire` and `release`, two scripts", 3)
  end
  check_lengths(table_given, 3)
  check_kinds(table_given)
  for _, op in ipairs { "release", "renew" } do
    if type(table_given[op]) == "table" and type(table_given[op][1]) ~= "string" then
      error("generic.lock: " .. op .. " is one script or one command, a list of words", 3)
    end
  end
  if table_given.wait ~= nil and not waits[table_given.wait] then
    error("generic.lock: wait = '" .. tostring(table_given.wait) .. "'; known: " .. listed(waits), 3)
  end
  local holder = table_given.holder
  if holder ~= nil and type(holder) ~= "function" and not holders[holder] then
    error("generic.lock: holder = '" .. tostring(holder) .. "'; known: " .. listed(holders) ..
          ", or a function(redis, lock)", 3)
  end
  for _, name in ipairs { "keys", "args" } do
    local gap = table_given[name] ~= nil and gap_in(table_given[name], name)
    if gap then
      error("generic.lock: " .. gap .. ' is still "?": say what the script gets there; known: ' .. known_words ..
            ", or a text of your own", 3)
    end
  end
  if table_given.spec ~= nil and not specs[table_given.spec] then
    error("generic.lock: spec = '" .. tostring(table_given.spec) .. "'; known: " .. listed(specs), 3)
  end
  if table_given.refused ~= nil and table_given.refused ~= "error" then
    error("generic.lock: refused = '" .. tostring(table_given.refused) .. "'; known: \"error\"; any other reply " ..
          "than `granted` refuses as it is", 3)
  end
  for _, name in ipairs { "keys", "args", "acquire", "release", "renew", "granted", "released", "channel",
                          "lasting", "key" } do
    local word, text = unknown_word { table_given[name] }
    if word then
      error("generic.lock: nothing is called " .. word .. " in '" .. text .. "'; known: " .. known_words, 3)
    end
  end
  check_granted(table_given.granted, "granted", 4)
  if table_given.released ~= false then
    check_granted(table_given.released, "released", 4)
  end
  if type(table_given.acquire) == "table" then
    check_words(table_given.acquire)
  end
  check_command(table_given.acquire, table_given.granted)
  check_limit(table_given)
  check_ends(table_given)
end

-- "$lock:fence" with the values of this call; a word that is nothing but one $name keeps the value's type.
local function filled(word, values)
  if type(word) ~= "string" then
    return word
  end
  if word:find("$reply[", 1, true) then
    local reply, only = values.reply, word:match("^%$reply%[(%d+)%]$")
    local item = function(n) return type(reply) == "table" and reply[tonumber(n)] or "none" end
    if only then
      return item(only)
    end
    word = word:gsub("%$reply%[(%d+)%]", item)
  end
  local whole = word:match("^%$(#?[%a_]+)$")
  if whole ~= nil and values[whole] ~= nil then
    return values[whole]
  end
  local text = word:gsub("%$(#?[%a_]+)", values)
  return text
end

-- Whether `word` stands in a word of these lists, or of a list in them.
function mentions(lists, word)
  for _, item in pairs(lists) do
    if (type(item) == "string" and item:find(word, 1, true)) or (type(item) == "table" and mentions(item, word)) then
      return true
    end
  end
  return false
end

local function list_for(lists, op, default)
  if lists == nil then
    return default
  end
  if lists.acquire ~= nil or lists.release ~= nil or lists.renew ~= nil then
    return lists[op] or default
  end
  return lists
end

local function fill(words, values)
  local out = {}
  for i, word in ipairs(words) do
    out[i] = filled(word, values)
  end
  return out
end

-- A channel that a script may name among its KEYS: in the lock's slot, whether the lock's name has a hash tag or not.
local function channel_of(given, name)
  local default = name:find("{", 1, true) and "$lock:channel" or "{$lock}:channel"
  return filled(given.channel or default, { lock = name })
end

local Lock = {}
Lock.__index = Lock

local function values_of(self, wait_ms, task)
  local me = self.me
  local lease_ms, now_ms, token = self.lease_ms or 0, me:now(), self.token or me.id .. "/none"
  local values = {
    lock = self.name, owner = me.id, token = token, ["#owner"] = #me.id, ["#token"] = #token,
    try = self.try or me.id .. "/none", now_ms = now_ms, wait_ms = wait_ms or 0,
    lease_ms = lease_ms, lease_s = math.ceil(lease_ms / 1000), until_ms = now_ms + lease_ms,
    limit = self.given.limit or 1, channel = self.channel, reply = self.reply or "none",
  }
  if self.mentioned.call and task then
    values.call = task.id .. "/" .. task:unique("call")
  end
  if self.mentioned.seconds then  -- whole seconds are no time that has passed: no state depends on them unasked
    values.now_s, values.until_s = math.floor(now_ms / 1000), math.ceil((now_ms + lease_ms) / 1000)
  end
  return values
end

-- Sends one command, its words filled in.
local function command(task, words, values, options)
  local sent = fill(words, values)
  sent[#sent + 1] = options
  return task:call(unpack(sent))
end

-- The lease that is asked for: up to a whole second, where the table has it in seconds.
local function asked_lease_ms(self, values)
  if self.lease_ms and self.mentioned.until_s then
    return values.until_s * 1000 - values.now_ms
  elseif self.lease_ms and self.mentioned.whole_seconds then
    return values.lease_s * 1000
  end
  return self.lease_ms
end

-- Runs one of the user's scripts, or the first of the commands in its place.
local function run(self, op, task, wait_ms)
  local given, step = self.given, self.scripts[op]
  local values = values_of(self, wait_ms, task)
  local options = { op = op, lock = self.name, lease = op ~= "release" and asked_lease_ms(self, values) or nil,
                    fcall = self.functions[op] }
  if type(step) == "table" then
    return command(task, type(step[1]) == "table" and step[1] or step, values, options)
  end
  local keys = fill(list_for(given.keys, op, { "$lock" }), values)
  local args = fill(list_for(given.args, op, op == "release" and { "$owner" } or { "$owner", "$lease_ms" }), values)
  return evaluate.eval(task, step, keys, args, options)
end

-- Whether the reply of a later command is what its step demands.
local function as_demanded(step, reply, values)
  if step.equals ~= nil then
    return reply == filled(step.equals, values)
  end
  return step.at_least == nil or (tonumber(reply) or 0) >= step.at_least
end

-- The commands that follow the one that decided. Returns true; false when a reply was not as demanded, and then the
-- lock is given back; or nil and a problem.
local function run_the_rest(self, task, wait_ms)
  local steps = self.scripts.acquire
  if type(steps) ~= "table" or type(steps[1]) ~= "table" then
    return true
  end
  local values = values_of(self, wait_ms, task)
  for i = 2, #steps do
    local options = { lock = self.name, lease = asked_lease_ms(self, values) }
    local reply, problem = command(task, steps[i], values, options)
    if problem then
      return nil, problem
    end
    if not as_demanded(steps[i], reply, values) then
      run(self, "release", task)
      return false
    end
  end
  return true
end

-- Does the reply read as `granted` says?
local function reads_as(pattern, reply, values)
  if type(pattern) == "function" then
    return pattern(reply, values) and true or false
  end
  if type(pattern) ~= "table" then
    return reply == filled(pattern, values)
  end
  if type(reply) ~= "table" then
    return false
  end
  for i, item in ipairs(pattern) do
    if not reads_as(item, reply[i], values) then
      return false
    end
  end
  return true
end

-- The fencing token that a reply is, as a number: scripts answer it as a text, too. nil: it is none.
local function fence_of(reply)
  local number = (type(reply) == "number" or type(reply) == "string" and reply:find("^%d+$")) and tonumber(reply)
  return number and number > 0 and number or nil
end

local function means_granted(self, reply, wait_ms)
  if self.given.fencing then
    return fence_of(reply) ~= nil
  end
  return reads_as(self.given.granted, reply, values_of(self, wait_ms))
end

local function in_words(pattern)
  if type(pattern) == "table" then
    local items = {}
    for i, item in ipairs(pattern) do
      items[i] = in_words(item)
    end
    return "an array that begins with " .. table.concat(items, ", ")
  end
  if type(pattern) == "function" then
    return "what the function `granted` accepts"
  end
  return type(pattern) == "string" and string.format("%q", pattern) or tostring(pattern)
end

-- What a grant looks like, for a user whose clients are never granted anything.
local function expected_answer(given)
  if given.fencing then
    return "a number above 0"
  end
  local text = in_words(given.granted)
  if type(given.acquire) == "table" and type(given.acquire[1]) == "table" then
    text = text .. ", and each further command what is demanded of it"
  end
  return text
end

-- An error that the server replied, where the script says no by it.
local function says_no(given, problem)
  return given.refused == "error" and type(problem) == "table" and problem.kind == "reply"
end

-- What the answer to a renewal means: is there nothing more to renew? A no that was under way while the lock was
-- granted again speaks of the hold before.
local function renewed_for_good(self, reply, problem)
  local of_this_hold = self.renewal_asked
  self.renewal_asked = nil
  if problem or not of_this_hold or not (reply == nil or reply == 0) then
    return false
  end
  self.renewing = nil
  return true
end

-- Renews at intervals for as long as the thread holds the lock and the script answers anything but nil or 0. The next
-- grant begins anew, as clients do that keep a table of what they renew.
local function start_renewing(self)
  local every_ms = self.given.renew_every_ms or math.floor(self.lease_ms / 3)
  self.renewing = self.me:spawn("watchdog", function(task)
    repeat
      task:sleep(every_ms)
      self.renewal_asked = true
    until task:atomic(renewed_for_good, self, run(self, "renew", task))
  end, { daemon = true })
end

-- How much of the lease is left for a client that asked at `asked_ms`.
local function left_of_lease(self, asked_ms)
  return asked_ms and self.lease_ms - (self.me:now() - asked_ms) or self.lease_ms
end

-- It was granted: what the client notes of it. The user's client does this in one go, so no thread is preempted in it.
local function hold(self, reply, lease_ms)
  local me, name, given = self.me, self.name, self.given
  self.fence = given.fencing and fence_of(reply) or nil
  self.reply = self.mentioned.reply and reply or nil
  local kept = self.scripts.renew ~= nil
  local again = idempotent[given.spec] and holds.count(me, name) > 0
  local count = (again or given.limit) and 1 or holds.add(me, name)
  self.renewal_asked = nil
  if kept and not self.renewing then
    start_renewing(self)
  end
  -- Where the keyspace names no owner, or does not say when its permit is over, nobody sees whose ran out during a
  -- pause: a grant is promised for its lease.
  local unseen = given.holder == "nobody" or (given.limit and given.holder == "sorted set member" and not given.ends)
  local promised = not kept or unseen
  -- No reply says how many holds there are, and after an expiry there are fewer than this client has counted.
  me:granted(name, { lease = promised and lease_ms or nil, count = count, told = false, token = self.fence })
end

-- One run of the acquire script: true; false and its reply; or nil and why.
local function attempt(self, wait_ms)
  local me, name, given = self.me, self.name, self.given
  if self.mentioned.try then
    self.try = me.id .. "/" .. me:unique("try")
  end
  local asked_ms = given.within_lease and self.lease_ms and me:now()
  local reply, problem = run(self, "acquire", me, wait_ms)
  if problem and not says_no(given, problem) then
    me:gave_up(name)
    return nil, evaluate.reason(problem)
  end
  if problem or not means_granted(self, reply, wait_ms) then
    me:refused(name)
    return false, reply
  end
  local confirmed
  confirmed, problem = run_the_rest(self, me, wait_ms)
  if problem then
    me:gave_up(name)
    return nil, evaluate.reason(problem)
  elseif not confirmed then
    me:refused(name)
    return false, reply
  end
  local lease_ms = left_of_lease(self, asked_ms)
  if asked_ms and lease_ms <= 0 then
    run(self, "release", me)
    me:refused(name)
    return false, reply
  end
  me:atomic(hold, self, reply, lease_ms)
  return true
end

-- How long to wait after a refusal: what the script said, if it answered a length; else retry_ms.
local function pause_ms(self, reply)
  if type(reply) == "number" and reply > 0 and self.given.granted == nil and not self.given.fencing then
    return reply
  end
  return self.retry_ms or 100
end

local function wait(self, entry, reply, left_ms)
  local way = self.given.wait or "sleep"
  local ms = pause_ms(self, reply)
  if left_ms then
    ms = math.min(ms, left_ms)
  end
  if way == "sleep" then
    self.me:sleep(ms)
  elseif way == "pubsub" then
    entry.latch:acquire(ms)
  else
    self.me:step()                             -- spin: at once, as soon as others have had a chance to run
  end
end

local function wait_for(self, until_ms)
  local me, name = self.me, self.name
  local wait_ms = until_ms and until_ms - me:now()
  if self.given.limit or holds.count(me, name) == 0 then
    self.token = me.id .. "/" .. me:unique("token")
  end
  me:wants(name)
  local got, reply = attempt(self, wait_ms)
  if got ~= false then
    return got, reply
  end
  local entry = nil
  if self.given.wait == "pubsub" and (until_ms == nil or wait_ms > 0) then
    local problem
    entry, problem = pubsub.subscribe(me, self.channel, self.channel, wait_ms)
    if entry == nil then
      me:gave_up(name)
      return nil, problem
    end
  end
  while got == false do
    local left_ms = until_ms and until_ms - me:now()
    if entry then
      got, reply = attempt(self, left_ms)  -- again after subscribing: the lock may have been freed meanwhile, unheard
    end
    if got == false then
      if left_ms and left_ms <= 0 then
        me:gave_up(name)
        break
      end
      wait(self, entry, reply, left_ms)
      if not entry then
        got, reply = attempt(self, left_ms)
      end
    end
  end
  if entry then
    pubsub.unsubscribe(me, entry)
  end
  return got, reply
end

-- Returns true; or nil and why.
function Lock:acquire()
  return wait_for(self)
end

-- Waits wait_ms at most (absent: asks once). Returns true, false when the time is up, or nil and why.
function Lock:try_acquire(wait_ms)
  return wait_for(self, self.me:now() + (wait_ms or 0))
end

-- Does the release script's reply say that another client holds the lock, or that it is free?
local function means_lost(self, reply)
  local given = self.given
  if given.released ~= nil then
    return not reads_as(given.released, reply, values_of(self))
  end
  return reply == nil or reply == false or reply == 0
end

-- What the answer to a release means.
local function means_released(self, reply, problem)
  local me, name, given = self.me, self.name, self.given
  local left = holds.drop(me, name)
  if problem and not says_no(given, problem) then
    return nil, evaluate.reason(problem)
  end
  if given.still_held ~= nil and reply == given.still_held then
    me:released(name, { count = math.max(left, 1) })
    return false
  end
  if given.released == false and not problem then
    local held = given.spec == "reentrant" and left or 0
    me:released(name, { count = held, told = false })
    return held == 0
  end
  if problem or means_lost(self, reply) then
    holds.clear(me, name)
    me:lost(name)
    return nil, "not owner"
  end
  if given.spec ~= "reentrant" or given.still_held ~= nil then
    holds.clear(me, name)
    left = 0
  end
  me:released(name, { count = left, counted = given.still_held ~= nil })
  return left == 0
end

-- The release was answered: what the client notes of it, in one go, too.
local function let_go(self, reply, problem)
  local free, why = means_released(self, reply, problem)
  if self.renewing and holds.count(self.me, self.name) == 0 then
    self.renewing:cancel()
    self.renewing = nil
  end
  return free, why
end

-- Returns true when the lock is free, false while holds remain; nil, "not owner" if the script answered nil, false or
-- 0, or not as `released` says (0 means "still held" with still_held = 0); or nil and why no answer came.
function Lock:release()
  return self.me:atomic(let_go, self, run(self, "release", self.me))
end

-- The user's table names no such script: the key is deleted.
function Lock:force_release()
  local me, name = self.me, self.name
  local deleted, problem = me:send("DEL", { name }, {}, { op = "force_release", lock = name }):wait()
  if problem then
    return nil, evaluate.reason(problem)
  end
  if holds.count(me, name) > 0 then
    holds.clear(me, name)
    me:released(name, { count = 0 })
  end
  return deleted == 1
end

-- The keys of an operation as the table has them: a script's; or of each command its first word, which is the key of
-- nearly every one.
local function key_words(given, op)
  local step = given[op]
  if type(step) == "string" then
    return list_for(given.keys, op, { "$lock" })
  end
  local words = {}
  for _, sent in ipairs(type(step) ~= "table" and {} or type(step[1]) == "table" and step or { step }) do
    words[#words + 1] = sent[2]
  end
  return words
end

-- The keys that a lock's name alone determines: those that belong to it, but for what is meant to outlive it.
local function own_keys(given, name)
  local keys, seen = {}, {}
  for _, word in ipairs(given.lasting or {}) do
    seen[filled(word, { lock = name })] = true
  end
  local own = given.key and filled(given.key, { lock = name })
  if own and not seen[own] then
    keys[1] = own
  end
  for _, op in ipairs { "acquire", "release", "renew" } do
    for _, word in ipairs(key_words(given, op)) do
      local others = type(word) == "string" and word:gsub("%$lock", ""):find("$", 1, true)
      if type(word) == "string" and not others then
        local key = filled(word, { lock = name })
        if not seen[key] then
          seen[key] = true
          keys[#keys + 1] = key
        end
      end
    end
  end
  return keys
end

-- The one that names the holder: the one that the table says, else the key called as the lock, else the first.
local function main_key(given, keys, name)
  if given.key then
    return filled(given.key, { lock = name })
  end
  for _, list in ipairs { keys, given.lasting or {} } do
    for _, key in ipairs(list) do
      if filled(key, { lock = name }) == name then
        return name
      end
    end
  end
  return keys[1] or name
end

-- The longest that a hold's key may live by what is asked for: up to the end of a second, where seconds are told.
local function longest_ms(lease_ms, mentioned)
  if lease_ms and mentioned.until_s then
    return lease_ms + 999
  elseif lease_ms and mentioned.whole_seconds then
    return math.ceil(lease_ms / 1000) * 1000
  end
  return lease_ms
end

function M.lock(given)
  check(given)
  local scripts, functions = {}, {}
  for _, op in ipairs { "acquire", "release", "renew" } do
    local step = given[op]
    local library, name
    if type(step) == "string" then
      library, name = step:match("^(.+%.lua):([%w_]+)$")
      step = script(library or step)
    end
    scripts[op], functions[op] = step, name
  end
  check_answers(given, scripts.acquire)
  local driver = {}
  if given.spec ~= "none" and given.holder ~= "nobody" then
    driver.spec = given.spec or (given.limit and "semaphore" or "mutex")
  end

  driver.granted = expected_answer(given)
  driver.runtime = given.runtime

  local sent = {}                      -- what `ends` says of a score is sent to nobody
  for field, value in pairs(given) do
    sent[field] = field ~= "ends" and value or nil
  end
  local mentioned = {
    try = mentions(sent, "$try"), call = mentions(sent, "$call"), reply = mentions(sent, "$reply"),
    until_s = mentions(sent, "$until_s"),
    whole_seconds = mentions(sent, "$lease_s") and not mentions(sent, "$lease_ms"),
    seconds = mentions(sent, "$now_s") or mentions(sent, "$until_s"),
  }

  local score = type(given.ends) == "string" and holdings.score_of(given.ends) or nil
  -- Is it said what ends a hold? A semaphore's scores may stay untold: then a grant is promised for its lease.
  local told = given.ends ~= nil or (given.limit and given.holder == "sorted set member")
  local place = where(2)

  -- `by`: the table, or one with another lease.
  local function view(by, redis, name)
    local keys = own_keys(given, name)
    local key = main_key(given, keys, name)
    if given.holder == "count" then
      local out = tonumber(redis.call("GET", key)) or 0
      return { permits = math.max(0, given.limit - out), capacity = given.limit, ttl_ms = redis.call("PTTL", key),
               keys = keyspace.existing(redis, keys) }
    end
    local held, count, ttl_ms, lapsed = holdings.of(redis, key, by, score)
    if not told and next(held) then
      local why = untold.why(redis, key, longest_ms(by.lease_ms, mentioned), ttl_ms)
      if why then
        error(place .. "generic.lock: " .. why, 0)
      end
    end
    local modes = {}
    for owner in pairs(given.limit and held or {}) do
      modes[owner] = "permit"
    end
    return { holders = held, modes = modes, permits = given.limit and math.max(0, given.limit - count),
             capacity = given.limit, ttl_ms = ttl_ms, lapsed = given.ends and lapsed or nil,
             keys = keyspace.existing(redis, keys) }
  end

  function driver.view(redis, name)
    return view(given, redis, name)
  end

  local function with_lease(lease_ms)
    local by = setmetatable({ lease_ms = lease_ms }, { __index = given })
    return setmetatable({ view = function(redis, name) return view(by, redis, name) end }, { __index = driver })
  end

  -- opts.lease_ms, opts.retry_ms: in place of the table's.
  function driver.lock(me, name, opts)
    if opts then
      check_lengths(opts, 2)
    end
    local lease_ms = opts and opts.lease_ms or given.lease_ms
    me:observe(name, lease_ms == given.lease_ms and driver or with_lease(lease_ms))
    return setmetatable({
      me = me, name = name, given = given, scripts = scripts, functions = functions,
      mentioned = mentioned,
      lease_ms = lease_ms,
      retry_ms = opts and opts.retry_ms or given.retry_ms,
      channel = channel_of(given, name),
    }, Lock)
  end

  return driver
end

return M
