-- Seed 002's two locks, script by script: each answer, each key, each expiry.
local answers = require "answers"

return {
  title   = "simple: what each script answers and leaves behind",
  clients = { "A" },
  program = function(me)
    local see = answers.see(me)
    local acquire = answers.of(me, script "simple/string/acquire.lua", { "S" })
    local release = answers.of(me, script "simple/string/release.lua", { "S" })
    acquire(1, "a", 2)
    see("a", "GET", "S")
    see(2000, "PTTL", "S")
    acquire(0, "b", 3)
    acquire(0, "a", 3)
    see(2000, "PTTL", "S")
    release(0, "b")
    see("a", "GET", "S")
    release(1, "a")
    release(0, "a")
    for _, no_lease in ipairs { "", "0", "-1" } do
      acquire(1, "a", no_lease)
      see(-1, "PTTL", "S")
      release(1, "a")
    end
    acquire(1, "a", 1)
    see(1000, "PTTL", "S")
    release(1, "a")
    see(0, "EXISTS", "S")

    acquire = answers.of(me, script "simple/counted/acquire.lua", { "C" })
    release = answers.of(me, script "simple/counted/release.lua", { "C" })
    acquire(1, "a", 2)
    see("1", "HGET", "C", "a")
    see(2000, "PTTL", "C")
    acquire(0, "b", 3)
    me:sleep(100)
    acquire(1, "a", 3)                       -- re-entered: the first expiry stays
    see("2", "HGET", "C", "a")
    see(1900, "PTTL", "C")
    release(0, "b")
    release(1, "a")
    see("1", "HGET", "C", "a")
    release(1, "a")
    see(0, "EXISTS", "C")
    release(0, "a")
    for _, no_lease in ipairs { "", "0", "-1" } do
      acquire(1, "a", no_lease)
      see(-1, "PTTL", "C")
      release(1, "a")
    end
    acquire(1, "a", 1)
    see(1000, "PTTL", "C")
    release(1, "a")
    see(0, "EXISTS", "C")
  end,
}
