-- truth: mutual_exclusion (LK001) violated (one lock over both servers: a client that gets one of them is content)
return {
  title   = "a lock over two servers that asks one of them",
  servers = 2,
  clients = { "A", "B" },
  program = function(me)
    local both = me:on(1, 2)
    local mine = both:on(me.client == "A" and 1 or 2)
    both:wants("order:42")
    if mine:call("SET", "order:42", me.id, "NX", "PX", 1000, { op = "vote", lock = "order:42" }) == "OK" then
      both:granted("order:42", { lease = 1000 })
      me:work(100)
      mine:call("DEL", "order:42", { op = "release", lock = "order:42" })
    end
  end,
}
