local reply = redis.pcall('pexpire', KEYS[1], ARGV[1])
if type(reply) == 'table' and reply.err then
  return reply
end
return 1
