-- Redisson's read-write lock, script by script: each answer, each field, each expiry, each message.
local answers = require "answers"

local lock, channel, latch, prefix = "L", "{L}:channel", "{L}:latch", "{L}"
local file = {
  read = script "redisson/read_write/acquire_read.lua", write = script "redisson/read_write/acquire_write.lua",
  unread = script "redisson/read_write/release_read.lua", unwrite = script "redisson/read_write/release_write.lua",
  renew = script "redisson/read_write/renew_read.lua",
}

local function timeouts(reader)
  return prefix .. ":" .. reader .. ":rwlock_timeout"
end
local function read(me, wanted, lease_ms, reader)
  answers.is((me:eval(file.read, { lock, timeouts(reader) }, { lease_ms, reader, reader .. ":write" })), wanted)
end
local function write(me, wanted, lease_ms, writer)
  answers.is((me:eval(file.write, { lock }, { lease_ms, writer .. ":write" })), wanted)
end
local function unread(me, wanted, reader, latch_ms)
  answers.is((me:eval(file.unread, { lock, channel, timeouts(reader), prefix, latch },
                      { "free", reader, "publish", latch_ms or 90 })), wanted)
end
local function unwrite(me, wanted, lease_ms, writer, latch_ms)
  answers.is((me:eval(file.unwrite, { lock, channel, latch }, { "free", lease_ms, writer .. ":write", "publish",
                                                                latch_ms or 90 })), wanted)
end
-- The latch's value and life; then it is gone.
local function decided(me, see, value, ms)
  see(value, "GET", latch)
  see(ms, "PTTL", latch)
  me:call("DEL", latch)
end

local function readers(me, see, heard)
  read(me, nil, 300, "a")
  see({ "mode", "read", "a", "1" }, "HGETALL", lock)
  see(300, "PTTL", lock)
  see("1", "GET", timeouts("a") .. ":1")
  see(300, "PTTL", timeouts("a") .. ":1")
  write(me, 300, 400, "a")                   -- who only reads is refused, too
  me:sleep(100)
  read(me, nil, 500, "b")                    -- the hash lives as long as the longest lease
  see(500, "PTTL", lock)
  see("1", "GET", timeouts("b") .. ":1")
  see(500, "PTTL", timeouts("b") .. ":1")
  read(me, nil, 250, "a")
  see(500, "PTTL", lock)
  see({ "mode", "read", "a", "2", "b", "1" }, "HGETALL", lock)
  see(250, "PTTL", timeouts("a") .. ":2")

  unread(me, nil, "c")
  see(0, "EXISTS", latch)
  unread(me, 0, "b")                         -- then as long as the longest of those that are left
  see({ "mode", "read", "a", "2" }, "HGETALL", lock)
  see(250, "PTTL", lock)
  see(0, "EXISTS", timeouts("b") .. ":1")
  unread(me, 0, "b")                         -- sent again: the latch answers
  decided(me, see, "0", 90)
  unread(me, 0, "a")
  see({ "mode", "read", "a", "1" }, "HGETALL", lock)
  see(200, "PTTL", lock)
  see(0, "EXISTS", timeouts("a") .. ":2")
  decided(me, see, "0", 90)
  heard:are {}
  unread(me, 1, "a", 70)
  see(0, "EXISTS", lock)
  see(0, "EXISTS", timeouts("a") .. ":1")
  decided(me, see, "1", 70)
  heard:are { "free" }
  unread(me, nil, "a")                       -- not held: the others are told all the same
  decided(me, see, "1", 90)
  heard:are { "free", "free" }

  read(me, nil, 300, "a")
  read(me, nil, 300, "b")
  me:call("DEL", timeouts("b") .. ":1")      -- the lease of all that are left is over
  unread(me, 1, "a")
  see(0, "EXISTS", lock)
  decided(me, see, "1", 90)
  heard:are { "free", "free", "free" }
end

local function writers(me, see, heard)
  write(me, nil, 300, "a")
  see({ "mode", "write", "a:write", "1" }, "HGETALL", lock)
  see(300, "PTTL", lock)
  write(me, 300, 400, "b")
  read(me, 300, 400, "b")
  me:sleep(100)
  write(me, nil, 400, "a")                   -- added to what is left
  see("2", "HGET", lock, "a:write")
  see(600, "PTTL", lock)
  unwrite(me, nil, 200, "b")
  see(0, "EXISTS", latch)
  unwrite(me, 0, 200, "a")
  see("1", "HGET", lock, "a:write")
  see(200, "PTTL", lock)
  unwrite(me, 0, 200, "a")
  see("1", "HGET", lock, "a:write")
  decided(me, see, "0", 90)
  heard:are { "free", "free", "free" }
  unwrite(me, 1, 200, "a", 70)
  see(0, "EXISTS", lock)
  decided(me, see, "1", 70)
  heard:are { "free", "free", "free", "free" }
  unwrite(me, nil, 200, "a")                 -- not held: the others are told all the same
  decided(me, see, "1", 90)
  heard:are { "free", "free", "free", "free", "free" }
end

local function writer_who_reads(me, see, heard)
  write(me, nil, 300, "a")
  read(me, nil, 400, "a")                    -- within its own write lock
  see({ "mode", "write", "a:write", "1", "a", "1" }, "HGETALL", lock)
  see(400, "PTTL", lock)
  me:call("DEL", timeouts("a") .. ":1")
  read(me, nil, 200, "a")
  unread(me, 0, "a")                         -- the first hold's lease is over, and it still writes
  see("1", "HGET", lock, "a")
  decided(me, see, "0", 90)
  unread(me, 0, "a")
  see({ "mode", "write", "a:write", "1" }, "HGETALL", lock)
  decided(me, see, "0", 90)
  read(me, nil, 400, "a")
  unwrite(me, 1, 200, "a")                   -- it goes on reading, beside others
  see({ "mode", "read", "a", "1" }, "HGETALL", lock)
  decided(me, see, "1", 90)
  unwrite(me, nil, 200, "a")
  see(0, "EXISTS", latch)
  heard:are { "free", "free", "free", "free", "free" }
  me:call("DEL", lock, timeouts("a") .. ":1")
end

local function forced_and_renewed(me, see, heard)
  local unread_all = answers.of(me, script "redisson/read_write/force_release_read.lua", { lock, channel })
  local unwrite_all = answers.of(me, script "redisson/read_write/force_release_write.lua", { lock, channel })
  unread_all(0, "forced", "publish")
  unwrite_all(0, "forced", "publish")
  write(me, nil, 300, "a")
  unread_all(0, "forced", "publish")
  see(1, "EXISTS", lock)
  unwrite_all(1, "forced", "publish")
  see(0, "EXISTS", lock)
  read(me, nil, 300, "a")
  unwrite_all(0, "forced", "publish")
  see(1, "EXISTS", lock)
  unread_all(1, "forced", "publish")
  see(0, "EXISTS", lock)
  heard:are { "free", "free", "free", "free", "free", "forced", "forced" }
  me:call("DEL", timeouts("a") .. ":1")

  read(me, nil, 300, "a")
  read(me, nil, 300, "a")
  read(me, nil, 300, "b")
  me:sleep(100)
  local renew = answers.of(me, file.renew, { lock, prefix, "{L}:2", "{L}:p" })
  me:call("HSET", "{L}:2", "mode", "read", "c", 1)
  me:call("PEXPIRE", "{L}:2", 50)
  me:call("SET", "{L}:p:c:rwlock_timeout:1", 1, "PX", 50)
  renew({ 1, 1 }, 700, 2, "nobody", "a", 1, "c")
  see(700, "PTTL", lock)
  see(700, "PTTL", timeouts("a") .. ":1")
  see(700, "PTTL", timeouts("a") .. ":2")
  see(200, "PTTL", timeouts("b") .. ":1")
  see(700, "PTTL", "{L}:2")
  see(700, "PTTL", "{L}:p:c:rwlock_timeout:1")
  renew({ 0, 1 }, 800, 1, "nobody", 1, "c")
  see(700, "PTTL", lock)
  see(800, "PTTL", "{L}:2")
  me:call("DEL", lock, timeouts("a") .. ":1", timeouts("a") .. ":2", timeouts("b") .. ":1", "{L}:2",
          "{L}:p:c:rwlock_timeout:1")
end

return {
  title   = "redisson/read_write: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local see = answers.see(me)
    local heard = answers.listen(me, channel)
    readers(me, see, heard)
    writers(me, see, heard)
    writer_who_reads(me, see, heard)
    forced_and_renewed(me, see, heard)
    heard:stop()
  end,
  -- timeout keys are put together in the scripts, and not all of them are in KEYS
  expect  = { script_health = "violated" },
}
