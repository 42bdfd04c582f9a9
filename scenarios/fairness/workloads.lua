-- workloads.lua: the four loads under which every lock of this folder is measured. The same twenty clients, critical
-- sections of 50 ms on the average, and a network on which a request takes half a millisecond each way; so locks can
-- be compared, and what differs is the lock.
local section = { exponential = 50 }
local network = { log_normal = { median = 0.5, sigma = 0.4 } }

return {
  -- Two demands a second: the lock is nearly always free, and a wait is what the lock itself takes.
  { name = "low", clients = 20, arrivals = { poisson_per_s = 2 }, hold_ms = section, latency_ms = network,
    message_latency_ms = network,
    warm_up_ms = 5000, duration_ms = 300000, seeds = 10 },
  -- Each client comes back after 100 ms: there is always a waiter, and the one that asks at the right moment gets in.
  { name = "saturated", clients = 20, arrivals = { think_ms = { exponential = 100 } }, hold_ms = section,
    latency_ms = network, message_latency_ms = network, warm_up_ms = 5000, duration_ms = 100000, seeds = 10 },
  -- Twenty demands at once, every four seconds on the average.
  { name = "bursty", clients = 20, arrivals = { burst = 20, every_ms = { exponential = 4000 } }, hold_ms = section,
    latency_ms = network, message_latency_ms = network, warm_up_ms = 5000, duration_ms = 300000, seeds = 10 },
  -- Six demands a second, and every second one of the clients dies, with whatever it holds or waits for; it is back
  -- two seconds later.
  { name = "crashes", clients = 20, arrivals = { poisson_per_s = 6 }, hold_ms = section, latency_ms = network,
    message_latency_ms = network,
    crash = { per_s = 1, back_ms = 2000 }, warm_up_ms = 5000, duration_ms = 30000, seeds = 10 },
}
