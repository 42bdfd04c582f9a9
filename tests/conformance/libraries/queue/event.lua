-- event.lua: tells the stream's readers what became of a job, and keeps the stream short.
-- KEYS  1 events, 2 meta      ARGV  1 event, 2 job, 3 what came of it, 4 about how many events to keep, 5 exactly
local events, meta = KEYS[1], KEYS[2]
local keep = redis.call('HGET', meta, 'events') or ARGV[4]
local id
if ARGV[5] == '1' then
  id = redis.call('XADD', events, 'MAXLEN', keep, '*', 'event', ARGV[1], 'job', ARGV[2])
else
  id = redis.call('XADD', events, 'MAXLEN', '~', keep, '*', 'event', ARGV[1], 'job', ARGV[2], 'result', cjson.encode(ARGV[3]))
end
redis.call('HSET', meta, 'last-event', id)
return { id, redis.call('TYPE', events), redis.call('EXISTS', events) }
