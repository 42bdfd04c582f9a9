-- redlock_rows.lua: the rows of locks on three servers whose requests go out side by side, as Node's clients send them.
--
-- Each request of a try goes as far as it comes: where both clients ask at the same time there are some hundred
-- thousand to many millions of orders. So B comes 10 ms after A, when all servers have heard of A unless a fault holds
-- a request up, and every state of that is visited; rows with `explore` are random runs, some of them with both clients
-- at once.
local why = require "why"

local sampled = { random = 300 }
local both = { "A", "B" }

local own = {
  frozen = why.breaks("The lease ends while its client is frozen, as it asks or works: it goes on beside the next " ..
      "holder."),
  slowest_answer = why.breaks("A try waits for the answers of all servers: where the slowest comes when the lease " ..
      "is over, acquire() succeeds all the same."),
  fast_clock = why.breaks("A client whose clock is ahead by more than the lease drops holders whose lease is not " ..
      "over."),
}

-- Both kinds of exclusion break for one reason.
local function exclusion(reason)
  return { mutual_exclusion = reason, strict_mutual_exclusion = reason }
end

local rows = { sampled = sampled }

-- The rows of all, and `more` of a lock's own.
function rows.with(more)
  local all = {
    ["pause.*"] = { explore = sampled, expect = { strict_mutual_exclusion = own.frozen } },
    ["restart.*"] = { explore = sampled },
    ["lose_message.*"] = false,
    -- No client of Node is interrupted.
    ["interrupt.*"] = false,
    ["failover.*"] = { clients = both, explore = sampled, expect = exclusion(why.votes_after_failover) },
    ["wipe.*"] = { clients = both, explore = sampled, expect = exclusion(why.votes_after_wipe) },
    ["evict.*"] = { clients = both, explore = sampled, expect = exclusion(why.votes_without_key) },
    ["crash_and_pause.two"] = { explore = sampled, expect = { strict_mutual_exclusion = own.frozen } },
    ["pause_and_lose_message.two"] = false,
  }
  for name, row in pairs(more) do all[name] = row end
  return all
end

-- redis_semaphore/over waits for the answers of all servers.
function rows.waiting(more)
  local all = rows.with {
    ["lose_request.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["lose_reply.*"] = { expect = { prompt = why.waits_for_an_answer } },
    ["late_request.*"] = {
      expect = { strict_mutual_exclusion = own.slowest_answer, prompt = why.waits_for_an_answer },
    },
    -- Too many orders, and random runs do not meet all that each of the two breaks alone.
    ["lose_reply_and_late_request.two"] = false,
  }
  for name, row in pairs(more or {}) do all[name] = row end
  return all
end

-- ... and its semaphores keep times of their clients' clocks: the package's documents say so, and ask for leases that
-- are longer than clocks differ.
function rows.timed()
  return rows.waiting {
    ["clock_jump.*"] = {
      expect = { mutual_exclusion = own.fast_clock, strict_mutual_exclusion = own.fast_clock,
                 owner_only = own.fast_clock },
    },
  }
end

return rows
