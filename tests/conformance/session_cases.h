/* session_cases.h - sessions of up to four connections, for sessions.c: "A text" sends an inline command from
 * connection A, "A: "..."" the bytes in quotes, "+N" lets N ms pass. D flushes everything before each. */
#ifndef LOCKSIM_TESTS_SESSION_CASES_H
#define LOCKSIM_TESTS_SESSION_CASES_H

/* What INFO counts of commands, in an order of its own, but for those by which steps are made; without the time they
 * took, which some servers ask another clock for. */
#define COUNTED "A eval \"local t = {} for l in redis.call('info', 'commandstats'):gmatch('cmdstat_([^%c]+)') do " \
    "if not (l:find('^ping') or l:find('^info') or l:find('^clock') or l:find('^client|list')) then " \
    "t[#t + 1] = l:gsub('usec=.*call=[%d.]+,', '') " \
    "end end table.sort(t) " \
    "return t\" 0\nA info errorstats\nA config resetstat\n"

static const char *const session_cases[] = {
    "A command info nosuch get|get config|nosuch config|\nA hello 3\nA command info nosuch\nA eval \"local t = "
    "{} for _, p "
    "in ipairs(ARGV) do local l = redis.call('command', 'list', 'filterby', 'pattern', p) table.sort(l) t[#t + "
    "1] = l end "
    "return t\" 0 CONFIG|?et config|rew* co?fig object|[ef]* GE?X nosuch* pubsub* slowlog latency acl module cluster",
    /* which clients are meant */
    "A client kill maxage 100000\nA client kill maxage x\nA client kill maxage 0 id 100\nA client kill type normal id "
    "10000 maxage 999\nA client list id 0\nA client list id -1\nA client list id x\nA client list user "
    "nosuch\nA client "
    "list user default maxage 100000\nA client list maxage 0\nA client list type pubsub maxage 100000\nA client "
    "list skipme "
    "x\nA client list addr\nA client list addr 1:1 laddr 2:2\nA client list type normal type pubsub",
    "A eval \"local t = {} for w in redis.call('client', 'list', 'id', redis.call('client', "
    "'id')):gmatch('([%a-]+)=') do "
    "t[#t + 1] = w end return t\" 0\nA client info x",
    /* what no log of changes hears */
    "A waitaof 0 0 0\nA waitaof 1 0 0\nA waitaof 2 0 0\nA waitaof -1 0 0\nA waitaof a 0 0\nA waitaof 0 a 0\nA "
    "waitaof 0 0 "
    "a\nA waitaof 0 0 -1\nA waitaof 0 -1 0\nA waitaof 0 0 10\nA multi\nA waitaof 0 0 0\nA exec\nA eval \"return "
    "redis.call('waitaof', 0, 0, 0)\" 0\nA waitaof 0 0",
    /* answers with news before or about them */
    "A debug protocol push\nA debug protocol attrib\nA debug set-disable-deny-scripts 0\n"
    "A hello 3\nA debug "
    "protocol push\nA debug protocol attrib\nA multi\nA debug protocol attrib\nA ping\nA exec",
    /* statistics of commands and errors */
    "A config resetstat\nA rpush l a\nA get x\nA get\nA nosuch\nA incr l\nA GETSET l a\nA config foo\nA config "
    "set maxmemory x\nA client kill\nA client\nA auth x\nA auth x y\nA hello 9\n" COUNTED,
    "A rpush l a\nA config resetstat\nA multi\nA incr l\nA get a\nA exec\n" COUNTED "A multi\nA get\nA exec\nA "
    "exec\nA discard\nA multi\nA multi\n"
    "A watch l\nA nosuch\nA discard\n" COUNTED,
    "A rpush l a\nA config resetstat\nA blpop nosuch x\nA blpop l 0\n" COUNTED "B blpop l 1\n+1100\n" COUNTED,
    "A config resetstat\nB blpop l 0\n" COUNTED "A rpush l a b\n" COUNTED,
    "A config resetstat\nA subscribe c\nA get a\nA unsubscribe\nA evalsha x 0\nA script exists x\nA fcall "
    "nosuch 0\nA fcall\n" COUNTED,
    "A rpush l a\nA config resetstat\nA eval \"redis.pcall('incr', 'l') return 1\" 0\nA eval \"return "
    "redis.pcall('incr', 'l')\" 0\nA eval \"return redis.call('incr', 'l')\" 0\n" COUNTED
    "A eval \"return redis.call('nosuch')\" 0\nA eval \"redis.pcall('nosuch') return 1\" 0\nA eval \"return "
    "redis.call('get')\" 0\nA eval \"return redis.call()\" 0\nA eval \"return redis.pcall({})\" 0\n" COUNTED
    "A eval \"error('My err')\" 0\nA eval \"error({err='My err'})\" 0\nA eval \"return {err='My err'}\" 0\nA eval "
    "\"return redis.error_reply('Mine')\" 0\n" COUNTED
    "A eval \"local e = redis.pcall('incr', 'l') return {err=e.err}\" 0\nA eval \"error(redis.pcall('incr', 'l'))\" "
    "0\nA eval \"return {1, {err='a b'}, redis.pcall('incr', 'l')}\" 0\n" COUNTED
    "A eval \"return redis.call('subscribe', 'x')\" 0\nA eval_ro \"return redis.call('set', 'a', 1)\" 0\nA eval "
    "\"bad syntax\" 0\nA multi\nA eval \"return redis.call('incr', 'l')\" 0\nA exec\nA eval \"redis.call('set', 'a', "
    "1) redis.call('get', 'a') return redis.call('config', 'get', 'maxmemory')\" 0\n" COUNTED
    "A config set maxmemory 1\nA set a 1\nA eval \"return redis.call('set', 'a', 1)\" 0\nA config set maxmemory "
    "0\n" COUNTED,
    "A config help\nA latency help\nA slowlog help\nA config help x\nA multi\nA slowlog help\nA exec\nA eval \"return "
    "{#redis.call('config', 'help'), #redis.call('latency', 'help'), #redis.call('slowlog', 'help')}\" 0",
    /* writes that want replicas, where there are none */
    "A config set min-replicas-to-write 1\nA set a 1\nA get a\nA eval \"return redis.call('set', 'a', 1)\" 1 a\nA eval "
    "\"return redis.pcall('set', 'a', 1)\" 1 a\nA eval \"return redis.call('get', 'a')\" 1 a\nA eval_ro \"return "
    "redis.call('set', 'a', 1)\" 1 a\nA multi\nA set a 1\nA exec\nA multi\nA config set min-replicas-to-write 0\nA "
    "exec\nA multi\nA set a 1\nB config set min-slaves-to-write 1\nA exec\nA multi\nA eval \"redis.call('set', 'a', "
    "1)\" 0\nA exec\nA blpop nothing 0.1\nA del a\nA config get min-replicas-to-write\nA config set "
    "min-replicas-to-write 0\nA set a 1\n" COUNTED,
    "A migrate 127.0.0.1 1 nosuch 0 10\nA migrate 127.0.0.1 1 nosuch 0 10 auth2 a b",
    /* the scores of a set that is no longer packed */
    "A zadd z .6 \"\"\nA zscan z 0\nA sort z by \"\"\nA zscan z 0\nA zscore z \"\"\nA zadd z 1e-7 \"\"\nA zscan z 0\nA "
    "zadd z 3 \"\"\nA zscan z 0\nA zadd z 1e20 \"\"\nA zscan z 0\nA zadd z -inf \"\"\nA zscan z 0\nA config set "
    "zset-max-listpack-entries 0\nA zadd y 0.1 a\nA zscan y 0\nA config set zset-max-listpack-entries 128",
    "A acl help\nA client help\nA command help\nA memory help\nA module help\nA client help x\nA memory help x",
    "A geoadd s 1 1\nA geoadd s nx xx 1 1 a\nA geoadd s ch nx 1 1 a\nA geoadd s xx ch 2 2 a 3 3 b\nA hello 3\nA geopos "
    "s a b\nA geosearch s fromlonlat 1 1 byradius 500 km withcoord withdist withhash\nA geodist s a b\nA geodist s a a "
    "x\nA geodist s a a m x\nA command getkeys georadius s 1 1 1 km store d storedist e\nA command getkeysandflags "
    "georadius s 1 1 1 km store d\nA command getkeys georadiusbymember s a 1 km store\nA command getkeys "
    "geosearchstore "
    "d s frommember a byradius 1 km\nA georadius_ro s 1 1 1 km store d\nA geosearch s frommember a fromlonlat 1 1 "
    "byradius 1 km\nA pfadd h a\nA pfdebug x h\nA pfdebug getreg nosuch\nA pfdebug decode h\nA pfselftest\nA eval_ro "
    "\"return redis.call('pfcount', KEYS[1])\" 1 h\nA set h x\nA pfcount h\nA pfcount h h\nA pfmerge h\nA pfadd h a",
    /* how long commands took, and what a script is */
    "A config set latency-monitor-threshold 1\nA latency graph command\nA latency graph \"x\\x00y\"\nA debug sleep "
    "0.002\nA latency graph command\n+1000\nA debug sleep 0.01\n+70000\nA debug sleep 0.005\n+1000\nA debug sleep "
    "0.009\n+1000\nA debug sleep 0.02\n+4000000\nA debug sleep 0.003\nA latency graph COMMAND\nA latency "
    "history COMMAND\nA latency reset COMMAND\n+90000000\nA hello 3\nA "
    "latency graph command\nA latency reset\nA latency graph command\nA config set latency-monitor-threshold 0",
    "A config resetstat\nA set a 1\nA set a 1\nA get a\nA latency histogram get set nosuch "
    "config|resetstat config\nA latency histogram CONFIG\nA latency histogram conf\nA incr a x\nA lpush a x\nA latency "
    "histogram incr lpush\nA config set latency-tracking no\nA get a\nA latency histogram get\nA config set "
    "latency-tracking yes\nA get a\nA latency histogram GET\nA debug sleep 0.001\nA debug sleep 0\nA debug sleep "
    "0.0000015\nA latency histogram debug\nA rpush l x\nA multi\nA echo x\nA exec\nA eval \"return "
    "redis.call('getset', 'b', 1)\" 0\nA hello 3\nA latency histogram get rpush multi exec echo eval getset",
    "A script load \"return 1\"\nA script show e0e1f9fabfc9d4800c877a703b823ac0578ff8db\nA script show "
    "E0E1f9fabfc9d4800c877a703b823ac0578ff8db\nA script show nosuch\nA script show\nA script show "
    "e0e1f9fabfc9d4800c877a703b823ac0578ff8d0\nA eval \"#!lua\\nreturn 2\" 0\nA script show "
    "a2e4b8d4bd9a8d8b7f0d5b1f6f8fb2a4b8b6cfa1\nA script flush\nA script show e0e1f9fabfc9d4800c877a703b823ac0578ff8db",
    /* consumer groups: errors, help, what is told in RESP3, in scripts and in transactions, statistics */
    "A xgroup help\nA xgroup help x\nA xgroup\nA xgroup nosuch\nA xgroup create s\nA xgroup create s g 0\nA xgroup "
    "create s g 0 mkstream\nA xgroup create s g 0\nA xgroup create s g2 x\nA xgroup create s g2 - \nA xgroup create s "
    "g2 $ entriesread\nA xgroup create s g2 $ entriesread x\nA xgroup create s g2 $ entriesread -2\nA xgroup create s "
    "g2 $ mkstream entriesread 3 mkstream x\nA xgroup create s g2 $ mkstream mkstream mkstream\nA xgroup create s g3 $ "
    "mkstream mkstream mkstream mkstream\nA xgroup setid s g -\nA xgroup setid s g 1 mkstream\nA xgroup setid s g 1 "
    "entriesread 1 entriesread 2\nA xgroup setid s nosuch 1\nA xgroup setid nosuch g 1\nA xgroup destroy nosuch g\nA "
    "xgroup destroy s nosuch\nA xgroup createconsumer s nosuch c\nA xgroup createconsumer s g c\nA xgroup "
    "createconsumer s g c\nA xgroup delconsumer s g c\nA xgroup delconsumer s g c\nA set k v\nA xgroup create k g 0\nA "
    "xgroup destroy k g\nA xgroup destroy s g2 x\nA xack k g 1\nA xpending k g\nA xclaim k g c 0 1\nA xautoclaim k "
        "g c 0 "
    "0\nA xautoclaim k g c x 0\nA xinfo groups k\nA xinfo consumers k g\nA xsetid k 1\nA xinfo groups nosuch\nA xinfo "
    "consumers s nosuch\nA xinfo groups s x\nA xinfo consumers s\nA xinfo groups\nA debug digest-value s",
    "A hello 3\nA xadd s 1-0 a b\nA xadd s 2-0 c d\nA xgroup create s g 0\nA xreadgroup group g c count 1 streams s >"
    "\n+20\nA xreadgroup group g c streams s 0\nA xreadgroup group g d block 10 streams s s > 0\nA xreadgroup group "
        "g e "
    "noack streams s >\nA xpending s g\nA xpending s g - + 10\nA xinfo groups s\nA xinfo consumers s g\nA xinfo stream "
    "s\nA xinfo stream s full\nA xinfo stream s full count 1\nA xdel s 1-0\nA xreadgroup group g c streams s 0\nA "
    "xautoclaim s g e 0 -\nA xgroup create s h $\nA xpending s h\nA xclaim s h c 0 2-0 force\nA xinfo stream s full\nA "
    "copy s t\nA xinfo stream t full\nA rename t u\nA xinfo groups u",
    "A xadd s 1-0 a b\nA xgroup create s g 0\nA eval \"return redis.call('xreadgroup', 'group', 'g', 'c', 'streams', "
    "KEYS[1], '>')\" 1 s\nA eval \"return redis.call('xreadgroup', 'group', 'g', 'c', 'block', 0, 'streams', KEYS[1], "
    "'>')\" 1 s\nA eval_ro \"return redis.call('xreadgroup', 'group', 'g', 'c', 'streams', KEYS[1], '>')\" 1 s\nA "
    "eval_ro \"return redis.call('xack', KEYS[1], 'g', '1')\" 1 s\nA eval_ro \"return redis.call('xpending', KEYS[1], "
    "'g')\" 1 s\nA eval \"redis.setresp(3) return redis.call('xreadgroup', 'group', 'g', 'c', 'streams', KEYS[1], "
    "'0')\" 1 s\nA multi\nA xreadgroup group g c block 0 streams s >\nA xack s g 1\nA xreadgroup group g c streams s 0"
    "\nA exec\nA eval \"return redis.call('xgroup', 'help')\" 0\nA eval \"return redis.call('xgroup', 'nosuch')\" 0",
    "A xreadgroup group g c streams s\nA xreadgroup group g c streams s t >\nA xreadgroup streams s t u > > >\nA "
    "xreadgroup count 1 block 0 streams s >\nA xreadgroup group g streams s > x\nA xreadgroup group g c x streams s "
        ">\nA "
    "xgroup create s g 0 mkstream\nA xreadgroup group g c streams s $\nA xreadgroup group g c streams s +\nA "
        "xreadgroup "
    "group g c streams s -\nA xreadgroup group g c streams s x\nA xreadgroup group g c block x streams s >\nA "
        "xreadgroup "
    "group g c block -1 streams s >\nA xreadgroup group g c count x streams s >\nA xreadgroup group g c streams s s > x"
    "\nA xreadgroup group g c streams s nosuch > >\nA xreadgroup group x y group g c noack noack streams s >\nA xinfo "
    "consumers s g\nA xclaim s g c x 1\nA xclaim s g c 0 1 idle x\nA xclaim s g c 0 1 idle\nA xclaim s g c 0 1 time "
        "x\nA "
    "xclaim s g c 0 1 retrycount x\nA xclaim s g c 0 1 lastid x\nA xclaim s g c 0 1 what\\0x\nA xautoclaim s g c 0 "
        "0 count "
    "0\nA xautoclaim s g c 0 0 count 1 x\nA xautoclaim s g c 0 0 count\nA xpending s g idle 1\nA xpending s g - + \nA "
    "xpending s g idle 1 - +\nA xpending s g idle x - + 1\nA xpending s g x + 1\nA xpending s g - + x\nA xpending s g "
    "(18446744073709551615 + 1\nA xpending s g - (0 1\nA xpending s g - + 1 c d",
    "A config set notify-keyspace-events AKE\nB psubscribe *\nA xgroup create s g $ mkstream\nA xgroup "
        "createconsumer s "
    "g a\nA xadd s 1-0 a b\nA xreadgroup group g b streams s >\nA xclaim s g c 0 1-0\nA xautoclaim s g d 0 0\nA xgroup "
    "setid s g 0\nA xack s g 1-0\nA xgroup delconsumer s g d\nA xgroup delconsumer s g nosuch\nA xsetid s 5\nA xgroup "
    "destroy s g\nA xgroup destroy s g\nA xdel s 1-0\nA config set notify-keyspace-events \"\"",
    "A config resetstat\nA xgroup create s g $ mkstream\nB xreadgroup group g c block 0 streams s >\n" COUNTED "A "
        "xadd s "
    "1-0 a b\n" COUNTED "B xreadgroup group g c block 0 streams s >\nA xgroup destroy s g\n" COUNTED "A xgroup "
        "create s g "
    "$\nB xreadgroup group g c block 0 streams s >\nC xreadgroup group g c block 0 streams s >\nD xread block 0 "
        "streams "
    "s $\nA del s\n" COUNTED,
    "A config resetstat\nA xgroup create s g $ mkstream\nB xreadgroup group g c block 0 streams s >\nA set s v\nA "
    "del s\nA xgroup create s g $ mkstream\nB xreadgroup group g c block 10 streams s >\n+11\n" COUNTED,
    "B xreadgroup group g c block 0 streams s >\nA xgroup create s g $ mkstream\nB xreadgroup group g c block "
    "0 streams "
    "s >\nA swapdb 0 1\nA swapdb 0 1\nA swapdb 0 1\n" COUNTED,
    /* readers of streams: entries, where they wait, what they are told of themselves */
    "A xadd s 1-0 a b\nA xadd s 2-0 c d\nA xadd t 5-5 e f\nA xread streams s t 0 0\nA xread count 1 streams s s t 0 1 "
    "$\nA xread streams nosuch s $ 2\nA xread streams s +\nA xinfo stream s\nA xinfo stream s full\nA xdel s 2-0\nA "
    "xread streams s +\nA xinfo stream s\nA xinfo stream s full count 0\nA xtrim s maxlen 0\nA xinfo stream s\nA "
    "xread streams s +\nA xinfo stream s full count x\nA xinfo stream s full count\nA xinfo stream s full limit 1\n"
    "A xinfo stream s x\nA xinfo stream nosuch x\nA xinfo help\nA xinfo nosuch\nA xinfo stream\nA xinfo\nA copy s "
    "u\nA xinfo stream u\nA object encoding u",
    "A hello 3\nA xadd s 1-0 a b\nA xread streams s 0\nA xread streams s nosuch 0 0\nA xread streams s 1\nA xread "
    "streams s s 0 0\nA xinfo stream s\nA xinfo stream s full\nA multi\nA xread block 0 streams s 0\nA xread block 0 "
    "streams s $\nA exec\nA eval \"redis.setresp(3) local r = redis.call('xread', 'streams', KEYS[1], '0') return "
    "{r.map[KEYS[1]], #r}\" 1 s\nA eval \"return redis.call('xread', 'streams', KEYS[1], '0')\" 1 s\nA eval \""
    "redis.setresp(3) return redis.call('xread', 'streams', KEYS[1], '0')\" 1 s\nB hello 3\nB xread block 0 streams s "
    "t $ $\nA xadd t 7-7 x y\nB xread block 100 streams s $\n+101",
    "A eval \"return redis.call('xread', 'block', '0', 'streams', KEYS[1], '$')\" 1 s\nA eval \"return "
    "redis.pcall('XREAD', 'BLOCK', 'x', 'streams', KEYS[1], '$')\" 1 s\nA eval_ro \"return redis.call('xread', "
    "'count', 1, 'streams', KEYS[1], '0')\" 1 s\nB xread block 0 streams s $\nC xread block 0 count 1 streams s 0\nD "
    "xread block 0 streams s t 5 0\nA xadd s 1-0 a b\nA multi\nA xadd s 6-0 a b\nA xadd t 1-0 a b\nA xadd s 7-0 a b\nA "
    "exec\nB xread block 0 streams s $\nC xread block 0 streams t 9\nA rename s t\nA xadd t 9-1 a b\nA del t\nA "
    "set s x\nA "
    "del s\nA xadd s 1-0 a b\nA xadd s 8-0 a b",
    "A config resetstat\nB xread block 0 streams s 5\n" COUNTED "A xadd s 1-0 a b\n" COUNTED "A xadd s 6-0 a b\n"
    COUNTED
    "A client unblock 2\nB xread block 0 streams s $\nB xread block 5 streams s $\n+6\n" COUNTED,
    "A xread block 0 streams s\nA xread block 0 streams s t 0\nA xread streams\nA xread count 1 streams s\nA xread "
    "count\nA xread block 0 count 1\nA xread x streams s 0\nA xread group a b streams s 0\nA xread group a streams s "
    "0\nA xread noack streams s 0\nA xread streams s >\nA xread block -1 streams s 0\nA xread block x streams s 0\nA "
    "xread block 9223372036854775808 streams s 0\nA xread count x block x streams s 0\nA set k v\nA xread streams s k "
    "0 0\nA xread streams k s 0 x\nA xread streams s k x 0\nA xread streams s -\nA xread streams s 1-\nA xread block 1 "
    "streams s \"$\\0x\"",
    /* options whose value is several words */
    "A config set latency-tracking-info-percentiles \"50 99.9\"\nA config get latency-tracking-info-percentiles\nA "
    "config "
    "set latency-tracking-info-percentiles \"50 199\"\nA config set latency-tracking-info-percentiles \"0 010 1e1 "
    "100.0\"\nA config get latency-tracking-info-percentiles\nA config set latency-tracking-info-percentiles \"\"\nA "
    "config get latency-tracking-info-percentiles\nA config set latency-tracking-info-percentiles \"1 \"\nA config set "
    "latency-tracking-info-percentiles \"50 99 99.9\"\nA config set client-output-buffer-limit \"wrong number\"\nA "
    "config set client-output-buffer-limit \"invalid_class 10mb 10mb 60\"\nA config set client-output-buffer-limit "
    "\"master 1 1 1 pubsub 1mb 1mb 60\"\nA config set client-output-buffer-limit \"pubsub 1mb 1mb 60\"\nA config get "
    "client-output-buffer-limit\nA config set client-output-buffer-limit \"pubsub x 1mb 60\"\nA config set "
    "client-output-buffer-limit \"pubsub 1 1mb -1\"\nA config set client-output-buffer-limit \"normal 1gb 2gb 3 "
    "replica "
    "1k 20 30\"\nA config get client-output-buffer-limit\nA config set client-output-buffer-limit \"normal  0 0 0\"\nA "
    "config set client-output-buffer-limit \"normal 0 0 0 slave 256mb 64mb 60 pubsub 32mb 8mb 60\"",
    "A config set maxmemory-clients 5%\nA config get maxmemory-clients\nA config set maxmemory-clients 100mb\nA config "
    "get maxmemory-clients\nA config set maxmemory-clients 101%\nA config set maxmemory-clients x\nA config set "
    "maxmemory-clients %\nA config set maxmemory-clients 0\nA config set oom-score-adj-values \"1 2 3\"\nA config get "
    "oom-score-adj-values\nA config set oom-score-adj-values \"1 2\"\nA config set oom-score-adj-values \"1 2 x\"\nA "
    "config set oom-score-adj-values \"1 2 5000\"\nA config set oom-score-adj-values \"1 2 \"\nA config get "
    "oom-score-adj-values\nA config set oom-score-adj-values \"0 200 800\"\nA config set maxmemory 1 2\nA config set "
    "maxmemory\nA config set maxclients 9000\nA config get maxclients\nA config set maxclients 10000",
    /* saving, and what is asked of the inside */
    "A save\nA lastsave\nA save x\nA bgsave x\nA bgsave schedule x\nA multi\nA save\nA lastsave\nA exec\nA eval "
    "\"return redis.call('save')\" 0\nA eval \"return redis.call('lastsave')\" 0\nA memory usage nosuch\nA memory "
    "usage "
    "nosuch samples\nA memory usage nosuch samples x\nA memory usage nosuch samples -1\nA memory usage nosuch x 1\nA "
    "memory usage nosuch samples 0\nA memory purge\nA memory purge x",
    "A set k abc\nA debug listpack k\nA debug quicklist k\nA debug htstats-key k\nA debug object nosuch\nA debug "
    "listpack nosuch\nA debug quicklist nosuch\nA debug htstats-key nosuch\nA hset h a b\nA debug listpack h\nA debug "
    "htstats-key h\nA debug htstats 99\nA debug htstats x\nA debug htstats 9\nA debug quicklist-packed-threshold "
    "abc\nA debug quicklist-packed-threshold 100b\nA debug quicklist-packed-threshold 4gb\nA debug "
    "quicklist-packed-threshold 0\nA debug replybuffer resizing 1\nA debug replybuffer x 1\nA debug replybuffer "
    "resizing",
    /* what RESTORE refuses, in its order */
    "A dump nosuch\nA dump\nA set k 1\nA restore w 0 abc\nA restore w -1 abc\nA restore w x abc\nA restore k x abc\nA "
    "restore k 0 abc\nA restore k 0 abc replace absttl idletime 5\nA restore k 0 abc idletime 5 freq 3\nA restore k 0 "
    "abc freq 300\nA restore k 0 abc freq\nA restore k 0 abc idletime -1\nA restore k 0 abc idletime x\nA restore k 0 "
    "abc freq 1 freq 2\nA restore k 0 abc foo\nA restore k 0\nA multi\nA restore k 0 abc\nA exec\nA eval \"return "
    "redis.pcall('restore', 'k', '0', 'abc')\" 1 k",
    "A config set notify-keyspace-events KEA\nB psubscribe *\nA eval \"redis.call('set', 'k', 'x', 'px', 1000) "
    "local d = "
    "redis.call('dump', 'k') return {redis.call('restore', 'l', 500, d), redis.call('pttl', 'l'), "
    "redis.call('restore', "
    "'l', redis.call('time')[1] * 1000 + 7, d, 'absttl', 'replace'), redis.call('pttl', 'l'), redis.call('restore', "
    "'l', "
    "1, d, 'absttl', 'replace'), redis.call('exists', 'l'), redis.call('restore', 'm', 1, d, 'absttl'), "
    "redis.call('restore', 'm', '9223372036854775807', d, 'absttl'), redis.pcall('restore', 'm', 0, d), "
    "redis.call('restore', 'm', 0, d, 'replace'), redis.call('ttl', 'm')}\" 3 k l m\nA config set "
    "notify-keyspace-events \"\"",
    /* what a log of slow commands holds, if all are slow */
    "A config set slowlog-log-slower-than 0\nA get k\nA mget 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 "
    "22 23 "
    "24 25 26 27 28 29 30 31 32 33 34\nA set k "
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nA multi\nA get k\nA exec\nA auth a b\nA nosuch\nA "
    "get\nA eval \"return "
    "redis.call('get', 'k')\" 0\nA hello 3 auth a b\nA config set slowlog-log-slower-than -1\nA ping\nA eval "
    "\"local t = "
    "{} for _, e in ipairs(redis.call('slowlog', 'get', 100)) do if e[4][1] ~= 'ping' then t[#t + 1] = e[4] end end "
    "return "
    "t\" 0\nA slowlog get 0\nA config set slowlog-max-len 3\nA config set slowlog-log-slower-than 0\nA ping\nA ping\nA "
    "ping\nA ping\nA slowlog len\nA config set slowlog-max-len 128\nA config set slowlog-log-slower-than 10000\nA "
    "slowlog reset\nA "
    "slowlog len",
    "A config set rdb-key-save-delay 5\nA config get rdb-key-save-delay\nA config get *key*delay\nA config set "
    "rdb-key-save-delay x\nA config set key-load-delay -3000000000\nA config set rdb-key-save-delay 0\nA config get "
    "key-load-delay",
    /* the one user */
    "A acl list\nA acl cat\nA acl cat nosuch\nA acl cat a b\nA acl getuser default\nA acl getuser nobody\nA acl "
    "genpass "
    "0\nA acl genpass x\nA acl genpass 5000\nA acl genpass 5 6\nA acl deluser bob\nA acl deluser bob alice\nA acl "
    "deluser "
    "bob default\nA acl dryrun default get foo\nA acl dryrun default get\nA acl dryrun nobody get foo\nA acl dryrun "
    "default nosuch\nA acl dryrun default config\nA acl dryrun default config get x\nA acl dryrun default config "
    "nosuch\nA acl save\nA acl load\nA hello 3\nA acl getuser default\nA acl getuser nobody\nA acl list\nA eval "
    "\"return "
    "redis.call('acl', 'list')\" 0",
    /* where there is nothing to tell */
    "A slowlog len\nA slowlog get\nA slowlog get 5\nA slowlog get -1\nA slowlog get -2\nA slowlog get x\nA "
    "slowlog get 1 2\nA slowlog reset\nA latency latest\nA latency reset\nA latency reset a b\nA latency history "
    "x\nA acl whoami\nA acl users\nA replicaof no one\nA slaveof NO ONE\nA module list\nA module list\nA acl "
    "users\nA slowlog get\nA latency latest",
    /* sums of what keys hold */
    "A debug digest\nA set a 1\nA set b xyz px 100000000\nA debug digest-value a b nosuch\nA rpush l 1 2 abc\nA "
    "sadd s 1 2 3\nA sadd t a b\nA hset h a 1 b 2\nA zadd z 1 a 2.5 b -inf c 3e20 d 0.1 e\nA xadd x 1-1 a b c "
    "d\nA xadd x 1-2 e f\nA setrange r 3 x\nA debug digest-value l s t h z x r\nA hpexpire h 10000000 fields 1 "
    "a\nA debug digest-value h\nA debug digest\nA select 3\nA set in3 x\nA debug digest\nA debug digest-value\nA "
    "debug digest x\nA pexpire in3 10000000\nA flushdb async\nA select 0\nA debug digest\nA flushall async\nA "
    "debug digest",
    /* how collections are kept: at the limits, past them, and saved and loaded again */
    "A eval \"for i=1,512 do redis.call('hset',KEYS[1],i,'v') end\" 1 h\nA object encoding h\nA hset h x y\nA "
    "object encoding h\nA hdel h x\nA object encoding h\nA copy h g\nA object encoding g\nA rename h f\nA object "
    "encoding f\nA debug reload\nA object encoding f\nA object encoding g\nA hset g x y\nA object encoding g",
    "A eval \"return redis.call('hset',KEYS[1],'a',string.rep('x',64))\" 1 h\nA object encoding h\nA eval "
    "\"return redis.call('hset',KEYS[1],'a',string.rep('x',65))\" 1 h\nA object encoding h\nA hset h a 1\nA "
    "object encoding h\nA debug reload\nA object encoding h\nA eval \"return "
    "redis.call('hincrby',KEYS[1],string.rep('x',65),1)\" 1 h\nA object encoding h",
    "A hset h a 1\nA eval \"return redis.call('hsetnx',KEYS[1],'a',string.rep('x',65))\" 1 h\nA object encoding "
    "h\nA eval \"local t={} for i=1,513 do t[2*i-1]='b' t[2*i]=1 end return "
    "redis.call('hset',KEYS[1],unpack(t))\" 1 h\nA object encoding h",
    "A config set hash-max-listpack-entries 2 hash-max-listpack-value 3\nA hset h a 1 b 2\nA object encoding h\nA "
    "hset h c 3\nA object encoding h\nA hset g a abc\nA object encoding g\nA hset g a abcd\nA object encoding "
    "g\nA config set hash-max-listpack-entries 512 hash-max-ziplist-value 64\nA object encoding h\nA debug "
    "reload\nA object encoding h\nA object encoding g",
    "A sadd s 1 2\nA object encoding s\nA sadd s a\nA object encoding s\nA srem s a\nA object encoding s\nA debug "
    "reload\nA object encoding s\nA eval \"return redis.call('sadd',KEYS[1],string.rep('x',65))\" 1 s\nA object "
    "encoding s\nA sadd t 1\nA eval \"return redis.call('sadd',KEYS[1],string.rep('x',64))\" 1 t\nA object "
    "encoding t",
    "A eval \"for i=1,512 do redis.call('sadd',KEYS[1],i) end\" 1 s\nA object encoding s\nA sadd s 1000\nA object "
    "encoding s\nA srem s 1000\nA object encoding s\nA debug reload\nA object encoding s\nA sadd s a\nA object "
    "encoding s",
    "A eval \"for i=1,128 do redis.call('sadd',KEYS[1],'m'..i) end\" 1 s\nA object encoding s\nA sadd s x\nA "
    "object encoding s\nA eval \"for i=1,127 do redis.call('sadd',KEYS[1],i) end\" 1 t\nA sadd t a\nA object "
    "encoding t\nA sadd t 999\nA object encoding t\nA eval \"local t={} for i=1,200 do t[i]='a' end return "
    "redis.call('sadd',KEYS[1],unpack(t))\" 1 u\nA object encoding u\nA eval \"local t={} for i=1,200 do t[i]=1 "
    "end return redis.call('sadd',KEYS[1],unpack(t))\" 1 v\nA object encoding v\nA eval \"local t={} for i=1,600 "
    "do t[i]=1 end return redis.call('sadd',KEYS[1],unpack(t))\" 1 w\nA object encoding w",
    "A eval \"for i=1,600 do redis.call('sadd',KEYS[1],i) end\" 1 s\nA object "
    "encoding s\nA sadd t 1 2\nA sadd u 2 a\nA sunionstore d t t\nA object encoding d\nA sunionstore d t u\nA "
    "object encoding d\nA sdiffstore d u t\nA object encoding d\nA sinterstore d u t\nA object encoding d\nA "
    "sinterstore d s t\nA object encoding d\nA sunionstore d s u\nA object encoding d\nA smove u e a\nA object "
    "encoding e\nA object encoding u",
    "A config set set-max-intset-entries 2\nA sadd s 1 2\nA object encoding s\nA sadd s 3\nA object encoding s\nA "
    "config set set-max-intset-entries 0\nA sadd t 1\nA object encoding t\nA config set set-max-intset-entries "
    "512\nA debug reload\nA object encoding s\nA object encoding t",
    "A eval \"for i=1,128 do redis.call('zadd',KEYS[1],i,i) end\" 1 z\nA object encoding z\nA zadd z 1 x\nA "
    "object encoding z\nA zrem z x\nA object encoding z\nA zunionstore y 1 z\nA object encoding y\nA zrangestore "
    "x z 0 3\nA object encoding x\nA copy z w\nA object encoding w\nA debug reload\nA object encoding z\nA object "
    "encoding w",
    "A eval \"return redis.call('zadd',KEYS[1],1,string.rep('x',64))\" 1 z\nA object encoding z\nA eval \"return "
    "redis.call('zadd',KEYS[1],1,string.rep('x',65))\" 1 z\nA object encoding z\nA eval \"local t={} for i=1,129 "
    "do t[2*i-1]=1 t[2*i]='b' end return redis.call('zadd',KEYS[1],unpack(t))\" 1 y\nA object encoding y\nA zadd "
    "x 1 a 2 b\nA object encoding x\nA sort x nosort by\nA object encoding x\nA sort x by nosort\nA object "
    "encoding x",
    "A config set zset-max-listpack-entries 0\nA zadd z 1 a\nA object encoding z\nA config set "
    "zset-max-listpack-entries 128 zset-max-ziplist-value 1\nA zadd y 1 a\nA object encoding y\nA zadd y 1 ab\nA "
    "object encoding y\nA config set zset-max-listpack-value 64",
    "A rpush l 1\nA object encoding l\nA eval \"return redis.call('rpush',KEYS[1],string.rep('x',8170))\" 1 l\nA "
    "object encoding l\nA eval \"return redis.call('rpush',KEYS[1],string.rep('x',20))\" 1 l\nA object encoding "
    "l\nA rpop l\nA object encoding l\nA rpop l\nA object encoding l\nA eval \"return "
    "redis.call('rpush',KEYS[1],string.rep('x',8185))\" 1 m\nA object encoding m\nA eval \"return "
    "redis.call('rpush',KEYS[1],string.rep('x',8186))\" 1 k\nA object encoding k\nA lset k 0 a\nA object encoding "
    "k",
    "A config set list-max-listpack-size 3\nA rpush l 1 2 3\nA object encoding l\nA rpush l 4\nA object encoding "
    "l\nA lpop l\nA object encoding l\nA lpop l 2\nA object encoding l\nA rpush m 1 2 3 4 5 5\nA lrem m 0 5\nA "
    "object encoding m\nA ltrim m 0 0\nA object encoding m\nA config set list-max-listpack-size -1\nA eval "
    "\"return redis.call('rpush',KEYS[1],string.rep('x',4000))\" 1 k\nA object encoding k\nA eval \"return "
    "redis.call('rpush',KEYS[1],string.rep('x',90))\" 1 k\nA object encoding k\nA copy k j\nA object encoding "
    "j\nA config set list-max-ziplist-size -2",
    "A set s 12\nA object encoding s\nA append s 3\nA object encoding s\nA set s ab keepttl\nA object encoding "
    "s\nA setrange s 0 b\nA object encoding s\nA rename s r\nA object encoding r\nA debug reload\nA object "
    "encoding r\nA incrbyfloat i 3\nA object encoding i\nA incr i\nA object encoding i\nA eval \"return "
    "redis.call('set',KEYS[1],5)\" 1 e\nA object encoding e\nA bitop not n r\nA object encoding n\nA eval "
    "\"return redis.call('set',KEYS[1],string.rep('x',200))\" 1 z\nA object encoding z",
    "A eval \"for i=1,3 do redis.call('hset',KEYS[1],i,1) end\" 1 h\nA hpexpire h 5 fields 1 nosuch\nA object "
    "encoding h\nA hset g a 1 b 2\nA hpexpire g 100000 fields 1 a\nA object encoding g\nA hpersist g fields 1 "
    "a\nA object encoding g\nA debug reload\nA object encoding g\nA hset f a 1\nA hgetex f persist fields 1 a\nA "
    "object encoding f",
    /* ZRANDMEMBER that takes all: the highest score first, in a listpack and in a skiplist */
    "A zadd z 1 a 2 b 3 c 3 d\nA zrandmember z 4\nA zrandmember z 4 withscores\nA zrandmember z 9\nA zrandmember z 9 "
    "withscores\nA hello 3\nA zrandmember z 5 withscores\nA zadd one 1 a\nA zrandmember one 1\nA zrandmember one 2",
    "A zadd z 2 0123456789012345678901234567890123456789012345678901234567890123456789 1 b 3 c\nA zrandmember z 3\nA "
    "zrandmember z 7 withscores",
    /* what is no request */
    "A: \"*x\\r\\nPING\\r\\n\"",
    "A: \"*2147483648\\r\\n\"", "A: \"*01\\r\\n\"", "A: \"*-0\\r\\n\"", "A: \"*+1\\r\\n\"", "A: \"*\\r\\n\"",
    "A: \"* 1\\r\\n\"", "A: \"*-5\\r\\nPING\\r\\n\"",
    "A: \"*0\\r\\nPING\\r\\n\"", "A: \"*1\\r\\n$-1\\r\\n\"", "A: \"*1\\r\\n$536870913\\r\\n\"",
    "A: \"*1\\r\\n:1\\r\\n\"", "A: \"*1\\r\\n\\r\\n\\r\\n\"",
    "A: \"*1\\r\\n$\\r\\n\"", "A: \"*1\\rX$4\\rXPINGXX*1\\r\\n$4\\r\\nPING\\r\\n\"",
    "A: \"*2\\r\\n$4\\r\\nECHO\\r\\nPING\\r\\n\"",
    "A: \"GET \\\"a\\r\\nPING\\r\\n\"", "A: \"GET \\\"a\\\"b\\r\\n\"", "A: \"\\r\\n\\n  \\r\\nPING\\n\"",
    "A: \"*1\\x00\\r\\n$4\\r\\nPING\\r\\n\"",
    "A: \"PI\\x00NG\\r\\n\"", "A: \"ECHO \\\"\\\\x41\\\\n\\\\\\\"\\\" 'x'\\r\\nECHO "
    "\\\"\\\\x41\\\\n\\\\\\\"\\\"\\r\\n\"",
    "A: \"GET / HTTP/1.0\\r\\n\\r\\n\"",
    "A: \"POST / HTTP/1.1\\r\\nSET k 1\\r\\n\"\nB get k", "A ping\nA: \"*1\\r\\n$5\\r\\nHost:\\r\\n\"\nB ping",
    "A multi\nA post\nB ping",
    /* HELLO, AUTH */
    "A hello\nA hello 2\nA hello 3\nA hello\nA ping\nA hello 2\nA get x",
    "A hello 4\nA hello 1\nA hello x\nA hello 3 auth default x setname me\nA client getname\nA hello 3 auth other x\nA "
    "hello 3 setname\nA hello 3 nosuch",
    "A hello 3 setname \"a b\"\nA hello setname x\nA client getname",
    "A auth x\nA auth default x\nA auth other x\nA auth a b c\nA auth",
    "A hello 3\nA multi\nA hello 2\nA get x\nA exec\nA get x",
    /* CLIENT */
    "A client getname\nA client setname me\nA client getname\nA client setname \"a b\"\nA client setname \"\"\nA "
    "client getname\nA client setname",
    /* a NUL in a name */
    "A client setname \"\\x00\"\nA client getname\nA client setname \"q\\x00 b\\n\"\nA client getname\nA client "
    "setname \" \\x00\"\nA client getname\nA reset\nA client getname",
    "A hello 2 setname \"a\\x00 b\"\nA client getname\nA hello 2 setname \"\\xff\\x00\"\nA client getname",
    "A client setinfo lib-name \"a\\x00 b\"\nA client setinfo lib-ver \"\\x00\"\nA client setinfo lib-name \"a "
    "\\x00\"\nA client setinfo lib-ver \"\"",
    "A client setinfo lib-name x\nA client nosuch\nA client\nA client getredir\nA client id x",
    "A client reply off\nA ping\nA client reply on\nA ping\nA client reply skip\nA ping\nA ping\nA client reply x\nA "
    "client reply skip\nA client reply on\nA ping",
    "A client reply skip\nA client reply off\nA client reply skip\nA client reply on\nA client reply skip\nA client "
    "reply skip\nA ping\nA ping",
    /* CLIENT TRACKING: transactions, who is told instead and is gone, several databases, what a script reads */
    "A hello 3\nA client tracking on optin\nA client caching yes\nA client trackinginfo\nA multi\nA get a\nA get b\n"
    "A exec\nA get c\nA client trackinginfo\nB mset c 1 a 1 b 1\nA client caching yes\nA nosuch\nA get a\nB set a 2",
    "A hello 3\nA client tracking on\nA multi\nA get a\nA set a 1\nA get a\nA incr a\nA exec\nA get a\n"
    "A multi\nA client tracking off\nA set a 2\nA exec",
    "A client tracking on redirect @B\nA get a\nC set a 1\nB subscribe x\nA get a\nC set a 2\nB unsubscribe\n"
    "A get a\nC set a 3\nB hello 3\nA get a\nC set a 4\nB quit\nA get a\nC set a 5\nA client trackinginfo\n"
    "A hello 3\nA get a\nC set a 6\nA client trackinginfo\nA client tracking off\nA client trackinginfo",
    "A hello 3\nA client tracking on\nA get a\nB select 1\nB set a 1\nA get a\nB swapdb 0 1\nB rename a b\nA mget a b\n"
    "B copy a b db 0\nA get b\nA eval \"return redis.call('get', KEYS[1])\" 1 b\nB flushdb async\nB flushdb async",
    "A hello 3\nA client tracking on bcast prefix b prefix a\nA client trackinginfo\nB mset ab 1 aa 1 ba 1 c 1\n"
    "B: \"set a2 1\\r\\nset a1 1\\r\\nset a2 2\\r\\n\"\nA client tracking on bcast prefix c noloop\n"
    "A set c 2\nB set c 3\n"
    "A eval \"redis.call('set', 'c', 4)\" 0\nA set c 5",
    "A client no-evict on\nA client no-evict x\nA client no-evict off\nA client tracking off\nA client tracking x\nA "
    "client trackinginfo\nA client caching yes\nA client caching x",
    "A hello 3\nA client trackinginfo\nA client getname\nA client no-touch on",
    "A client kill 1.2.3.4:5\nA client kill addr 1.2.3.4:5\nA client kill id x\nA client kill id 0\nA client kill id "
        "999999999\nA client kill type nosuch\n"
        "A client kill nosuch x\nA client kill id 1 addr\nA client kill user nobody\nA client kill skipme maybe\nA "
        "client kill skipme x y",
    "A client list type nosuch\nA client list id x\nA client list nosuch\nA client list id\nA client list type",
    "A client unblock x\nA client unblock 999999\nA client unblock 999999 timeout\nA client unblock 999999 never\nA "
    "client unblock 1 error x",
    /* MONITOR */
    "A monitor\nB set k v\nB nosuch\nB get\nB lpush k x\nB select 2\nB set k 1\nB select 0\nB "
    "auth x\nB hello 2 auth x y",
    "A monitor\nB eval \"redis.call('set','a',1) redis.pcall('lpush','a',1) redis.pcall('nosuch') return "
    "redis.call('get','a')\" 0\nB eval_ro \"return redis.call('get','a')\" 0\nB eval \"redis.call('select',3) "
    "redis.call('get','a')\" 0\nB evalsha x 0\nB eval \"error('x')\" 0",
    "A monitor\nB multi\nB set q 1\nB eval \"return redis.call('get','q')\" 0\nB incr q\nB exec\nB multi\nB "
    "discard\nB multi\nB nosuch\nB exec\nB watch k\nB unwatch",
    "A monitor\nB migrate h 1 nosuch 0 10 auth p\nB migrate h 1 nosuch 0 10 auth2 u p\nB auth p\nB hello 3 "
    "auth u p\nB auth u "
    "p",
    "A monitor\nB client list nosuch\nB config get nosuch\nB client id x\nB script load \"return 1\"\nB PING\nB "
    "subscribe c\nB unsubscribe c\nB publish c x\nB quit",
    "A monitor\nA get k\nA set k v\nA PING\nA subscribe c\nA monitor\nA reset\nB PING\nA get k",
    "A multi\nA monitor\nA exec\nB PING", "A hello 3\nA monitor\nA monitor\nB PING\nA quit\nB PING",
    "A monitor\nC monitor\nB PING\nC quit\nB PING\nA client reply off\nB PING",
    "A monitor\nB: \"*3\\r\\n$3\\r\\nSET\\r\\n$1\\r\\nk\\r\\n$9\\r\\n\\x00\\\"\\\\\\a\\b\\t\\x7F\\xFF\\r\\r\\n\"",
    "A monitor\nB blpop l 0\nC rpush l x\nC eval \"return redis.call('blpop','l',0)\" 0",
    /* subscribers */
    "A subscribe c d\nA get x\nA ping\nA ping hello\nA echo x\nB publish c hello\nB publish x y\nA unsubscribe c\nB "
    "publish c again\nA unsubscribe\nA get x",
    "A psubscribe \"\"\nB publish \"\" x",
    "A psubscribe c*\nA subscribe cat\nB publish cat x\nA punsubscribe\nA unsubscribe\nA unsubscribe\nA punsubscribe",
    "A hello 3\nA subscribe c\nA get x\nA ping\nA publish c self\nB publish c x\nA psubscribe c*\nB publish c y\nA "
    "unsubscribe\nA punsubscribe",
    "A ssubscribe s\nB spublish s x\nA get x\nA sunsubscribe\nA get x",
    "A subscribe c\nA client reply off\nB publish c x\nA reset\nA ping",
    "A client reply off\nA subscribe c\nB publish c x\nA unsubscribe\nA client reply on\nA ping",
    "A client reply skip\nA subscribe c d\nA ping", "A hello 3\nA client reply off\nA subscribe c\nB publish c x\nA "
    "client reply on\nA ping",
    "A subscribe c\nA quit\nB publish c x", "A subscribe c\nA reset\nA get x\nB publish c x",
    "A subscribe c\nA multi\nA hello 3\nA command",
    /* transactions across connections */
    "A watch k\nB set k 1\nA multi\nA get k\nA exec", "A multi\nA set k 1\nA nosuch\nA exec\nA get k",
    "A multi\nA incr k\nA ping\nA discard\nA exec\nA discard", "A multi\nA client getname\nA echo x\nA select 1\nA "
    "exec\nA get x", "A hello 3\nA multi\nA hset h a 1\nA hgetall h\nA smembers s\nA zscore z a\nA exec",
    "A multi\nA auth default x\nA client id x\nA reset\nA exec", "A multi\nA quit\nA ping",
    "A multi\nA shutdown\nA exec", "A multi\nA client reply skip\nA ping\nA exec\nA ping",
    /* QUIT, RESET, SELECT */
    "A quit\nA ping", "A select 3\nA set k v\nA reset\nA get k\nA select 3\nA get k\nA select x\nA select 16",
    "A quit now", "A reset now", "A hello 3\nA client setname me\nA reset\nA client getname\nA hgetall h",
    "A cluster keyslot a\nA cluster keyslot {a}b\nA cluster keyslot\nA cluster info\nA eval \"return "
    "redis.call('cluster', 'keyslot', 'a')\" 0",
    /* RESP3 shapes */
    "A hello 3\nA hset h a 1 b 2\nA hgetall h\nA hset one f v\nA hrandfield one 1\nA hrandfield one 1 withvalues\nA "
        "hrandfield none 2 withvalues\nA sadd s x\nA smembers s\nA sinter s s\nA zadd z 1.5 a inf b\n"
        "A zrange z 0 -1 withscores\nA zrange z 0 -1\nA zscore z a\nA zscore z none\nA zincrby z 1 a\nA zadd z incr 1 "
            "a\nA zpopmin z\nA zpopmax z 5\nA zmscore z a b\n"
        "A get none\nA mget none x\nA lpop none 2\nA incrbyfloat f 1.5\nA hincrbyfloat h f 1.5\nA scan 0 match h\nA "
        "type h\nA exists h\nA config get hz\nA role",
    "A hello 3\nA eval \"redis.setresp(3) return redis.call('zscore', KEYS[1], 'a')\" 1 z\nA eval \"return true\" 0\nA "
        "eval \"redis.setresp(3) return true\" 0\n"
        "A eval \"return {double=1.5}\" 0\nA eval \"return {map={a=1}}\" 0\nA eval \"return {set={a=1}}\" 0\nA eval "
            "\"return {big_number='12'}\" 0\n"
        "A eval \"return {verbatim_string={format='txt',string='x'}}\" 0\nA eval \"return false\" 0\nA eval \"return "
        "{1,false,'x'}\" 0",
    /* pops that wait */
    "A blpop q 0\nB rpush q x y\nA ping", "A blpop q 1\n+1001\nA ping",
    "A blpop q 0\nA ping\nA echo behind\nB rpush q x", "A hello 3\nA bzpopmin z 0\nB zadd z 1.5 m",
    "A blpop q 0\nB blpop q 0\nC rpush q 1 2\nA get x\nB get x", "A blpop q 0\nB set q x\nB del q\nB rpush q y",
    "A multi\nA blpop q 0\nA exec", "A blpop q x\nA blpop q -1\nA blpop q", "A blmove q r left right 0\nB blpop r 0\nC "
    "rpush q e", "A hello 3\nA blpop q 0.5\n+501\nA blmove a b left left 0.1\n+101",
    "A client reply skip\nA blpop q 0\nB rpush q x y\nA lrange q 0 -1", "A blpop q 0\nB multi\nB rpush q x\nB del q\nB "
    "exec\nB rpush q z",
    /* COMMAND INFO: arity, places of keys and flags of every command; in RESP2, where they are an array */
    "A eval \"local out = {} for _, n in ipairs(ARGV) do local e = redis.call('command', 'info', n)[1] local f = {} "
        "for _, x in ipairs(e[3]) do f[x.ok] = true end out[#out + 1] = table.concat({ e[1], e[2], e[4], e[5], e[6], "
            "f.write and 'w' or '-', "
        "f.readonly and 'r' or '-', f.noscript and 'n' or '-', f.blocking and 'b' or '-', f.movablekeys and 'm' or "
            "'-', f.pubsub "
        "and 'p' or '-' }, ' ') end return out\" 0 "
        "append auth bitcount bitfield bitfield_ro bitop bitpos blmove blmpop blpop brpop brpoplpush bzmpop bzpopmax "
            "bzpopmin client "
        "command config copy dbsize debug decr decrby del discard echo eval eval_ro evalsha evalsha_ro exec exists "
            "expire expireat "
        "expiretime flushall flushdb get getbit getdel getex getrange getset hdel hello hexists hget hgetall hincrby "
            "hincrbyfloat "
        "hkeys hlen hmget hmset hrandfield hscan hset hsetnx hstrlen hvals incr incrby incrbyfloat info keys lcs "
            "lindex linsert llen "
        "lmove lmpop lpop lpos lpush lpushx lrange lrem lset ltrim mget move mset msetnx multi object persist pexpire "
            "pexpireat "
        "pexpiretime ping psetex psubscribe pttl publish pubsub punsubscribe quit randomkey rename renamenx reset role "
            "rpop rpoplpush "
        "rpush rpushx sadd scan scard script sdiff sdiffstore select set setbit setex setnx setrange shutdown sinter "
            "sintercard "
        "sinterstore sismember smembers smismember smove sort sort_ro spop srandmember srem sscan strlen subscribe "
            "substr sunion "
        "sunionstore swapdb time touch ttl type unlink unsubscribe unwatch wait watch xadd xdel xlen xrange xrevrange "
            "xtrim zadd zcard "
        "zcount zdiff zdiffstore zincrby zinter zintercard zinterstore zlexcount zmpop zmscore zpopmax zpopmin "
            "zrandmember zrange "
        "zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex zremrangebyrank zremrangebyscore zrevrange "
            "zrevrangebylex "
        "zrevrangebyscore zrevrank zscan zscore zunion zunionstore",
    "A blpop k 0\nB incr k\nB rpush r a b\nB copy r k replace\nB lrange k 0 -1",
    "A blpop k 0\nB incr k\nB rpush r a b\nB rename r k\nB lrange k 0 -1", "A blpop k 0\nB rpush r a\nB copy r k\nB "
    "exists k", "A bzpopmin k 0\nB incr k\nB zadd z 1 m\nB zunionstore k 1 z\nB zcard k\nB rename z k\nB zcard k",
    /* an answer of EXEC is sent as it goes, and so is what a client tells itself by it */
    "A multi\nA subscribe c\nA publish c x\nA exec\nA unsubscribe c", "A hello 3\nA subscribe c\nA multi\nA ping\nA "
    "publish c x\nA get k\nA exec\nA publish c y",
    "A hello 3\nA psubscribe c*\nA multi\nA eval \"redis.call('publish', 'c', 'x') return redis.call('publish', 'ca', "
    "'y')\" 0\nA publish c z\nA exec",
    "A hello 3\nA subscribe c\nA client reply off\nA multi\nA publish c x\nA exec\nA client reply on\nA ping",
    "A multi\nA client reply skip\nA client reply on\nA exec\nA ping\nA ping", "A multi\nA client reply on\nA ping\nA "
    "client reply skip\nA exec\nA ping\nA ping",
    "A multi\nA ping\nA client reply on\nA ping\nA client reply skip\nA exec", "A multi\nA client reply on\nA ping\nA "
    "client reply off\nA ping\nA client reply skip\nA exec\nA ping",
    "A multi\nA client reply off\nA client reply skip\nA client reply on\nA client reply skip\nA exec\nA ping\nA ping",
    "A multi\nA client reply off\nA ping\nA exec\nA ping\nA client reply on\nA ping",
    "A client reply off\nA multi\nA client reply on\nA ping\nA exec\nA ping", "A multi\nA ping\nA client reply off\nA "
    "ping\nA client reply on\nA ping\nA exec\nA ping", "A client reply off\nA multi\nA exec\nA client reply on\nA ping",
    "A multi\nA client reply off\nA subscribe c\nA ping\nA exec\nB publish c x\nA unsubscribe\nA client reply on\nA "
    "ping",
    "A client reply off\nA multi\nA psubscribe c*\nA get x\nA exec\nB publish c x\nA punsubscribe\nA client reply "
    "on\nA ping",
    "A client reply off\nA multi\nA client reply on\nA ping\nA client reply off\nA ping\nA exec\nA ping\nA client "
    "reply on\nA ping", "A blpop q 0\nB multi\nB rpush q x\nB del q\nB exec\nB rpush q z",
    /* the rest */
    "A echo\nA echo a b\nA time x\nA ping a b\nA command nosuch\nA command getkeys\nA command getkeys get\nA command "
        "getkeys nosuch x\nA command getkeys ping x\n"
        "A command getkeysandflags set k v\nA command getkeysandflags set k v get\nA command getkeysandflags set k "
        "v ex 1 "
        "get\nA command getkeysandflags mset a 1 b 2\nA command getkeysandflags eval x 2 a b c\nA command "
        "getkeysandflags eval x 0\nA command getkeysandflags sort k store d\nA command getkeysandflags sort k by "
        "nosort "
        "limit 0 1 store d get x\nA command getkeysandflags sort_ro k\nA command getkeysandflags bitfield k get u1 "
        "0\nA "
        "command getkeysandflags bitfield k get u1 0 set u1 0 1\nA command getkeysandflags bitfield k incrby u1 0 1\nA "
        "command getkeysandflags xread count 1 streams a b 0 0\nA command getkeysandflags zunionstore d 2 a b\nA "
        "command "
        "getkeysandflags lmpop 2 a b left\nA command getkeysandflags get\nA command getkeysandflags ping x\nA command "
        "getkeysandflags nosuch x\nA command getkeysandflags xgroup create s g 0\nA command getkeysandflags lmove a b "
        "left right\nA command getkeysandflags\nA command getkeysandflags blpop a b 0\nA command getkeysandflags "
        "object "
        "encoding k\nA command getkeysandflags memory usage k\nA command getkeysandflags getdel k\nA command "
        "getkeysandflags bitop and d a b\nA command getkeysandflags lcs a b"
        "\nA command getkeysandflags xreadgroup group g "
        "c streams a >\nA command getkeysandflags sintercard 2 a b\nA command getkeysandflags rename a b\nA command "
        "getkeysandflags copy a b\nA command list filterby aclcat nosuch\nA command list filterby aclcat\nA acl cat "
        "transaction x\nA command getkeys xreadgroup group g c streams a b > >\nA command getkeys xreadgroup group "
        "streams c streams a >\nA command getkeys xreadgroup count 1 block 1 noack group g c streams a b > >\nA "
        "command getkeys xreadgroup streams a > x y z w\nA command getkeys xgroup create s g 0\nA command "
        "getkeys xreadgroup count 1 block 1 streams a >\nA command getkeys xack s g 1\nA command getkeys xinfo groups s"
        "\nA command getkeys xclaim s g c 0 1\nA command getkeys xreadgroup group g c x streams a 0\nA command "
        "getkeys xread streams a 0\nA command getkeys xread count 1 block 0 streams a b 0 0\nA command "
        "getkeys xread count streams streams a b 0 0\nA command getkeys xread streams a b 0\nA command getkeys xread "
        "count 1 block 0 x\nA command getkeys xread x y streams a 0\nA command getkeys xread streams streams a "
        "b c\nA command "
        "getkeys xread block 1 streams\nA command getkeys xread x STREAMS a\n"
        "A command getkeys mset a 1 b 2\nA command getkeys eval x 2 a b c\nA command getkeys eval x 0\nA command "
            "getkeys eval x 5 a\nA command getkeys zunionstore d x a\nA command getkeys sort a\nA command getkeys sort "
                "a store b\nA command getkeys sort a by store store b\nA command getkeys sort a by x get store store b "
                    "store c\n"
        "A command getkeys sort a limit store 1 store b\nA command getkeys sort a store\nA command getkeys sort_ro a "
        "store b\nA command count x\nA command list filterby\nA command list nosuch",
    "A config\nA config get\nA config nosuch x\nA config set hz\nA config set nosuch x\nA config set hz 20\nA config "
        "get hz\nA config get nosuch\nA config resetstat\n"
        "A config get HZ\nA config rewrite\nA config set hz 10",
    "A cluster info\nA cluster slots\nA cluster help\nA cluster nosuch\nA cluster\nA readonly\nA readwrite\n"
        "A asking\nA "
        "cluster nodes\nA eval \"return redis.call('cluster','info')\" 0\n"
        "A eval \"return redis.pcall('readonly')\" 0\nA "
        "multi\nA readonly\nA cluster info\nA exec",
    "A debug error hello\nA debug error \"ERR a b\"\nA debug protocol string\nA debug protocol integer\n"
        "A debug protocol "
        "double\nA debug protocol null\nA debug protocol array\nA debug protocol set\nA debug protocol map\nA debug "
        "protocol true\nA debug protocol false\nA debug protocol bignum\nA debug protocol verbatim\nA debug protocol "
        "attrib\nA debug protocol foo\nA debug protocol STRING",
    "A hello 3\nA debug protocol string\nA debug protocol integer\nA debug protocol double\nA debug protocol null\nA "
        "debug protocol array\nA debug protocol set\nA debug protocol map\nA debug protocol true\nA debug protocol "
        "false\nA debug protocol bignum\nA debug protocol verbatim",
    "A set key:1 kept\nA debug populate 10\nA dbsize\nA get key:0\nA get key:1\nA debug populate 5 foo 3\nA get "
        "foo:4\nA debug populate 3 bar 20\nA get bar:2\nA debug populate x\nA debug populate -1\nA debug populate 1 a "
        "b c\nA debug change-repl-id\nA debug log hello\nA debug set-active-expire\nA debug sleep\nA debug foo bar\nA "
        "debug dict-resizing 1\nA debug replicate all x\nA debug reload foo\nA pexpire bar:1 1000\nA script load "
        "\"return 77\"\nA debug reload\nA get bar:1\nA pttl bar:1\nA script exists "
        "7f923f79fe76194c868d7e1d0820de36700eb649\nA dbsize",
    "A debug\nA debug nosuch\nA shutdown nosuch\nA shutdown abort\nA shutdown abort now\nA role x\nA lolwut_nosuch\nA "
    "info nosuch\nA wait 0 0",
};

#endif
