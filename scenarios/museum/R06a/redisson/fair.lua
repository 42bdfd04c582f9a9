-- fair.lua: the fair lock as it was shipped from 3.13.3 on: no deadline is tested for being there before it is compared.
return require "redisson.fair_3_13"
