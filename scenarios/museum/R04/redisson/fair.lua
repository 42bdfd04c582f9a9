-- fair.lua: the fair lock as it was shipped from 3.13.3 on: a queued waiter is told deadline - wait - now.
return require "redisson.fair_3_13"
