-- truth: fencing (LK005) violated
-- Two locks guard one file: the counter of the one says nothing of the other, and the file accepts a holder who came before the last one.
return {
  title = "one resource behind two locks",
  clients = { "A", "B" },
  program = function(me)
    local lock = me.id == "B:1" and "M" or "L"
    me:wants(lock)
    local token = me:eval("redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000) return redis.call('INCR', KEYS[2])",
      { lock, "{" .. lock .. "}:fence" }, { me.id }, { op = "acquire", lock = lock, lease = 60000 })
    me:granted(lock, { lease = 60000, token = token })
    me:work(10)
    me:use("file", token)
    me:eval("return redis.call('DEL', KEYS[1])", { lock }, {}, { op = "release", lock = lock })
    me:released(lock)
  end,
  expect = { fencing = "holds" },
}
