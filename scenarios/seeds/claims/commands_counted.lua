-- Seed 004: the reentrant lock costs 2 to 3 commands, the fair lock 5 to 8. Refuted: counted below, script by script.
-- Reentrant: 3 to 4 to acquire, 3 to be refused, 5 to 6 to release. Fair: 8 to acquire and one more for each waiter
-- behind, 8 to queue, 6 to ask again, 9 to 10 to release.
local lock = {
  acquire = script "redisson/lock/acquire.lua",
  release = script "redisson/lock/release.lua",
}
local fair = {
  acquire = script "redisson/fair/acquire.lua",
  release = script "redisson/fair/release.lua",
}

-- The same script, but it returns how many commands it ran.
local function counting(original)
  return script.text("local calls, real = 0, redis\n" ..
                     "local redis = { call = function(...) calls = calls + 1 return real.call(...) end }\n" ..
                     "local function body()\n" .. original.text .. "\nend\nbody()\nreturn calls")
end

return {
  title   = "claim of seed 004: 2 to 3 commands against 5 to 8",
  clients = { "A" },
  program = function(me)
    local function count(original, keys, argv)
      return assert(me:eval(counting(original), keys, argv, { op = "count" }))
    end
    local function expect(what, counted, expected)
      me:log(what .. ": " .. counted .. " commands")
      assert(counted == expected, what .. " took " .. counted .. " commands")
    end

    local keys = { "{a}" }
    expect("acquire a free lock", count(lock.acquire, keys, { 30000, "A" }), 3)
    expect("acquire it again", count(lock.acquire, keys, { 30000, "A" }), 4)
    expect("be refused", count(lock.acquire, keys, { 30000, "B" }), 3)
    local argv = { 0, 30000, "A", "PUBLISH", 20000 }
    expect("release, one hold left", count(lock.release, { "{a}", "{a}:channel", "{a}:latch:1" }, argv), 5)
    expect("release the last", count(lock.release, { "{a}", "{a}:channel", "{a}:latch:2" }, argv), 6)

    local function ask(owner)
      return count(fair.acquire, { "{f}", "{f}:queue", "{f}:deadlines" }, { 30000, owner, 300000, me:now() })
    end
    local function release(owner, latch)
      local all = { "{f}", "{f}:queue", "{f}:deadlines", "{f}:channel", "{f}:" .. latch }
      return count(fair.release, all, { 0, 30000, owner, me:now(), "PUBLISH", 20000 })
    end
    expect("fair: acquire a free lock", ask("A"), 8)
    expect("fair: queue", ask("B"), 8)
    expect("fair: queue behind another", ask("C"), 9)
    expect("fair: ask again", ask("B"), 6)
    expect("fair: release with waiters", release("A", "latch:3"), 10)
    expect("fair: acquire with one waiter behind", ask("B"), 11)
    expect("fair: acquire again", ask("B"), 6)
  end,
}
