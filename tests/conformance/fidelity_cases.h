/* fidelity_cases.h - statements about Redis 7.0.15 as stories for fidelity.c, by what they are about. Scripts alone are
 * in script_cases.h. */
#ifndef LOCKSIM_TESTS_FIDELITY_CASES_H
#define LOCKSIM_TESTS_FIDELITY_CASES_H

#include <stdbool.h>

typedef struct {
    const char *about, *steps;
    bool resp2_only;                   /* a subscriber of RESP3 may send anything */
} story;

#define WT "-WRONGTYPE Operation against a key holding the wrong kind of value"
#define INT "-ERR value is not an integer or out of range"
#define SYN "-ERR syntax error"
#define SHA_1 "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"

static const story stories[] = {
    /* time and expiry */
    { "a key lives through its deadline", "set k v px 30000 | +29999 | pttl k => :1 | +1 | pttl k => :0 | get k => $1 "
      "v | exists k => :1 | +1 | pttl k => :-2 | get k => $-1", false },
    { "a deadline that is not in the future deletes at once", "set k v | pexpireat k 1700000000000 => :1 | exists k => "
      ":0 | set k v | pexpire k 0 => :1 | exists k => :0", false },
    { "SET with a past deadline is accepted", "set k v pxat 1 => +OK | exists k => :0 | get k => $-1", false },
    { "a key's expiry is judged at the script's start",
      "set k v px 10 | +10 | eval 'return {redis.call(\"get\",KEYS[1]),redis.call(\"pttl\",KEYS[1])}' 1 k => *2 $1 v "
      ":0 | +1 | eval 'return redis.call(\"get\",KEYS[1])' 1 k => $-1", false },
    { "TTL rounds", "set k v px 1500 | ttl k => :2 | +1 | ttl k => :1 | +1000 | ttl k => :0 | persist k => :1 | ttl k "
      "=> :-1", false },
    { "an expired key counts until it is met", "set k v px 5 | +6 | dbsize => :1 | keys * => *0 | dbsize => :1 | del k "
      "=> :0 | dbsize => :0", false },
    { "SETNX succeeds on an expired key", "set k v px 5 | +6 | setnx k w => :1 | pttl k => :-1", false },
    { "conditions of EXPIRE", "set k v | expire k 10 xx => :0 | expire k 10 gt => :0 | expire k 10 lt => :1 | expire k "
      "20 nx => :0 | expire k 20 gt => :1 | expire k 5 gt => :0 | pexpire k 0 gt => :0 | exists k => :1 | pexpire k -1 "
      "lt => :1 | exists k => :0", false },
    { "EXPIRE checks options, then the number, then the range", "expire no x foo => -ERR Unsupported option foo | "
      "expire no x => " INT " | "
      "expire no 1 nx xx => -ERR NX and XX, GT or LT options at the same time are not compatible | expire no 1 gt lt "
      "=> -ERR GT and LT options at the same time are not compatible | expire no 9223372036854775807 => -ERR invalid "
      "expire time in 'expire' command | expire no 1 => :0 | pexpire no -9223372036854775808 => :0", false },
    { "SET's time must be positive", "set k v ex 0 => -ERR invalid expire time in 'set' command | setex k 0 v => -ERR "
      "invalid expire time in 'setex' command | psetex k -1 v => -ERR invalid expire time in 'psetex' command | getex "
      "k ex 0 => $-1 | set k v | getex k ex 0 => -ERR invalid expire time in 'getex' command", false },
    { "SET's options exclude each other", "set k v nx xx => " SYN " | set k v ex 1 px 1 => " SYN
      " | set k v ex 1 keepttl => " SYN " | set k v foo => " SYN " | set k v ex => " SYN, false },
    { "SET NX GET is legal", "set k a nx get => $-1 | set k b nx get => $1 a | get k => $1 a | set k c get => $1 a | "
      "set k d xx get => $1 c", false },
    { "SET GET of another type writes nothing", "rpush k a | set k v get => " WT " | type k => +list | set k v => +OK "
      "| type k => +string", false },
    { "what keeps the TTL and what clears it", "set k 1 px 100 | incr k | append k 0 | pttl k => :100 | set k 2 "
      "keepttl | pttl k => :100 | set k 2 | pttl k => :-1 | pexpire k 50 | getset k 3 | pttl k => :-1 | hset h f 1 | "
      "pexpire h 70 | hset h g 2 | hincrby h f 1 | pttl h => :70 | hdel h f g | hset h f 1 | pttl h => :-1", false },
    { "RENAME takes the source's TTL along", "set a 1 px 100 | set b 2 px 5 | rename a b => +OK | pttl b => :100 | set "
      "c 3 | rename c b | pttl b => :-1 | copy b d => :1 | pttl d => :-1", false },
    { "STORE replaces its destination", "set d 1 px 100 | sadd s a | sunionstore d s => :1 | pttl d => :-1 | type d => "
      "+set | sinterstore d s no => :0 | exists d => :0", false },
    { "a key that expires under WATCH aborts", "set k v px 5 | watch k | +6 | multi | ping | exec => *-1 | set k v px "
      "5 | +6 | watch k | multi | ping | exec => *1 +PONG", false },
    { "EXEC has one time for all", "set k v px 10 | multi | pttl k | get k | +10 | exec => *2 :0 $1 v | multi | get k "
      "| +1 | exec => *1 $-1", false },
    { "TIME", "time => *2 $10 1700000000 $1 0 | +1234 | time => *2 $10 1700000001 $6 234000 | eval 'return "
      "redis.call(\"time\")' 0 => *2 $10 1700000001 $6 234000", false },
    /* conversions */
    { "numbers are cut off", "eval 'return 3.99' 0 => :3 | eval 'return -3.99' 0 => :-3 | eval 'return 0/0' 0 => "
      ":-9223372036854775808 | eval 'return 1/0' 0 => :-9223372036854775808", false },
    { "numbers to a command are %.17g", "eval 'return redis.call(\"set\",\"k\",0.1)' 0 => +OK | get k => $19 "
      "0.10000000000000001 | eval 'return redis.call(\"set\",\"k\",1e16)' 0 | get k => $17 10000000000000000 | eval "
      "'return redis.call(\"set\",\"k\",1e17)' 0 | get k => $5 1e+17 | eval 'return "
      "redis.pcall(\"incrby\",\"n\",1e17)' 0 => " INT " | eval 'return redis.pcall(\"pexpire\",\"k\",1000/3)' 0 => "
      INT, false },
    { "null is false, and nil with setresp(3)", "eval 'return type(redis.call(\"get\",\"no\"))' 0 => $7 boolean | eval "
      "'redis.setresp(3) return type(redis.call(\"get\",\"no\"))' 0 => $3 nil | eval 'redis.setresp(3) return "
      "redis.call(\"mget\",\"no\",\"no\")' 0 => *0 | eval 'return type(redis.call(\"get\",\"no\"))' 0 => $7 boolean",
      false },
    { "status and error objects", "eval 'return redis.call(\"ping\")' 0 => +PONG | eval 'return {ok=\"a\\r\\nb\"}' 0 | "
      "eval 'return {err=\"MY x\"}' 0 => -MY x | eval 'return redis.pcall(\"nosuch\").err' 0 => $44 ERR Unknown Redis "
      "command called from script | eval 'local n=0 for _ in pairs(redis.pcall(\"lpush\",\"k\")) do n=n+1 end return "
      "n' 0", false },
    { "TYPE is a status", "rpush l a | eval 'local t=redis.call(\"type\",\"l\") return {tostring(t==\"list\"),t.ok}' 0 "
      "=> *2 $5 false $4 list", false },
    { "scores", "zadd z 3.3 a 1e20 b 100000 c 1e-7 d inf e -inf f 17179869184 g | zscore z a => $18 3.2999999999999998 "
      "| zscore z b => $5 1e+20 | zscore z c => $6 100000 | zscore z d => $22 9.9999999999999995e-08 | zscore z e => "
      "$3 inf | zscore z f => $4 -inf | zscore z g => $11 17179869184 | zadd z -0 h | zscore z h => $1 0", true },
    { "doubles and maps of setresp(3)", "zadd z 1.5 m | hset h f v | sadd s a | eval 'redis.setresp(3) return "
      "redis.call(\"zscore\",\"z\",\"m\").double*2' 0 => :3 | eval 'redis.setresp(3) return "
      "redis.call(\"hgetall\",\"h\").map.f' 0 => $1 v | eval 'redis.setresp(3) return "
      "redis.call(\"smembers\",\"s\").set.a' 0 | eval 'redis.setresp(3) return "
      "redis.call(\"zrange\",\"z\",0,-1,\"withscores\")' 0 | eval 'redis.setresp(3) return "
      "{redis.call(\"hgetall\",\"h\"),redis.call(\"smembers\",\"s\"),redis.call(\"zscore\",\"z\",\"m\"),true,false}' 0 "
      "| eval 'redis.setresp(3) return redis.call(\"zpopmin\",\"z\",1)' 0", false },
    /* errors */
    { "arity has two texts", "get => -ERR wrong number of arguments for 'get' command | eval 'return "
      "redis.pcall(\"get\")' 0 => -ERR Wrong number of args calling Redis command from script | eval 'return "
      "redis.pcall(\"hset\",\"h\",\"a\",\"1\",\"b\")' 0 => -ERR wrong number of arguments for 'hset' command | eval "
      "'return redis.pcall(\"mset\",\"a\",\"1\",\"b\")' 0 => -ERR wrong number of arguments for 'mset' command | eval "
      "'return redis.pcall(\"lpop\",\"l\",\"1\",\"2\")' 0 => -ERR wrong number of arguments for 'lpop' command",
      false },
    { "faults before a command, in order", "eval 'return redis.pcall(\"nosuch\")' 0 => -ERR Unknown Redis command "
      "called from script | eval 'return redis.pcall(\"multi\")' 0 => -ERR This Redis command is not allowed from "
      "script | eval_ro 'return redis.pcall(\"set\",\"k\",\"v\")' 0 => -ERR Write commands are not allowed from "
      "read-only scripts. | eval_ro 'return redis.pcall(\"publish\",\"c\",\"m\")' 0 => -ERR Write commands are not "
      "allowed from read-only scripts. | eval_ro 'return redis.pcall(\"set\",\"k\")' 0 => -ERR Wrong number of args "
      "calling Redis command from script", false },
    { "a script that fails keeps its writes", "eval 'redis.call(\"set\",\"k\",\"v\") error(\"boom\")' 0 => -ERR "
      "user_script:1: boom script: 6ff310d0217369feb8b13600a5459e51d33dc469, on @user_script:1. | get k => $1 v",
      false },
    { "unknown command", "nosuch => -ERR unknown command 'nosuch', with args beginning with:  | nosuch a b => -ERR "
      "unknown command 'nosuch', with args beginning with: 'a' 'b' ", false },
    { "checks of arguments in Redis's order", "lindex no x => $-1 | lrange no x 0 => " INT
      " | set s abc | hincrby s f abc => " INT " | hincrby s f 1 => " WT " | lset no 0 v => -ERR no such key | "
      "incrby s x => " INT " | lpop no -1 => -ERR value is out of range, must be positive | lpop no 1 => *-1 | rpush l "
      "a | lpop l 0 => *0", false },
    /* the EVAL family */
    { "numkeys", "eval 'return 1' x => " INT " | eval 'return 1' 1 => -ERR Number of keys can't be greater than number "
      "of args | eval 'return 1' -1 => -ERR Number of keys can't be negative | eval 'return {#KEYS,#ARGV}' 1 a b c => "
      "*2 :1 :2", false },
    { "EVALSHA", "evalsha x y => -NOSCRIPT No matching script. Please use EVAL. | evalsha " SHA_1 " y => " INT
      " | evalsha " SHA_1 " 0 => -NOSCRIPT No matching script. Please use EVAL. | eval 'return 1' 0 => :1 | evalsha "
      SHA_1 " 0 => :1 | "
      "evalsha E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0 => :1 | script flush => +OK | evalsha " SHA_1
      " 0 => -NOSCRIPT No matching script. Please use EVAL.", false },
    { "SCRIPT", "script load 'return 1' => $40 " SHA_1 " | script exists " SHA_1 " x => *2 :1 :0 | script flush foo => "
      "-ERR SCRIPT FLUSH only support SYNC|ASYNC option | script kill => -NOTBUSY No scripts in execution right now. | "
      "script nosuch => -ERR unknown subcommand 'nosuch'. Try SCRIPT HELP. | script load => -ERR wrong number of "
      "arguments for 'script|load' command | script load 'return +' | script load '' => $40 "
      "da39a3ee5e6b4b0d3255bfef95601890afd80709", false },
    { "a script that fails at run time is cached, one that does not compile is not",
      "eval 'error(1)' 0 | script exists 11d166ccab188add40157d241449ab30e698f851 => *1 :1 | eval 'return +' 0 | "
      "script exists 1fd5091818ea327c4e55ed84125fdc6179ae44cf => *1 :0", false },
    { "shebangs", "eval '#!lua' 0 => -ERR Invalid script shebang | eval '#!python\nreturn 1' 0 => -ERR Unexpected "
      "engine in script shebang: #!python | eval '#!lua name=x\nreturn 1' 0 => -ERR Unknown lua shebang option: name=x "
      "| eval '#!lua flags=bogus\nreturn 1' 0 => -ERR Unexpected flag in script shebang: bogus | eval '#!lua "
      "flags=\nreturn 1' 0 => :1 | eval_ro '#!lua\nreturn 1' 0 => -ERR Can not execute a script with write flag using "
      "*_ro command. | eval_ro '#!lua flags=no-writes\nreturn 1' 0 => :1 | eval '#!lua flags=no-writes\nreturn "
      "redis.pcall(\"set\",\"k\",\"v\")' 0 => -ERR Write commands are not allowed from read-only scripts. | eval "
      "'#!lua flags=no-cluster,allow-oom,allow-stale,allow-cross-slot-keys\nreturn 1' 0 => :1", false },
    { "SELECT in a script is for that run", "eval 'redis.call(\"select\",\"3\") return "
      "redis.call(\"set\",\"k\",\"v\")' 0 => +OK | exists k => :0 | eval 'return redis.call(\"exists\",\"k\")' 0 => :0 "
      "| select 3 | exists k => :1", false },
    { "a failing script is one element of EXEC", "multi | eval 'error({err=\"MY x\"})' 0 | eval 'return 2' 0 | exec",
      false },
    { "settings of a library stay until SCRIPT FLUSH", "eval 'cjson.encode_number_precision(3) return 1' 0 | eval "
      "'return cjson.encode(1/3)' 0 => $5 0.333 | script flush | eval 'return cjson.encode(1/3)' 0 => $16 "
      "0.33333333333333", false },
    /* pub/sub */
    { "a client counts twice with a channel and a pattern", "2> subscribe ch | 2> psubscribe c* | publish ch m => :2 | "
      "publish other m => :0", true },
    { "a script's messages are delivered although it fails", "2> subscribe ch | eval "
      "'redis.call(\"publish\",\"ch\",\"1\") redis.call(\"nosuch\")' 0 | 2> ping => *2 $4 pong $0 ", true },
    { "SPUBLISH reaches SSUBSCRIBE only", "2> ssubscribe shard | 2> subscribe ch | spublish shard m => :1 | spublish "
      "ch m => :0 | publish ch m => :1", true },
    { "a subscriber of RESP2 may only do this", "subscribe ch => *3 $9 subscribe $2 ch :1 | get k => -ERR Can't "
      "execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context | ping "
      "=> *2 $4 pong $0  | ping x => *2 $4 pong $1 x | subscribe ch => *3 $9 subscribe $2 ch :1 | unsubscribe => *3 "
      "$11 unsubscribe $2 ch :0 | unsubscribe => *3 $11 unsubscribe $-1 :0 | get k => $-1", true },
    { "PUBSUB", "2> subscribe ch | 2> psubscribe c* | pubsub channels => *1 $2 ch | pubsub channels x* => *0 | pubsub "
      "numsub ch no => *4 $2 ch :1 $2 no :0 | pubsub numpat => :1 | pubsub foo => -ERR unknown subcommand 'foo'. Try "
      "PUBSUB HELP. | pubsub shardchannels => *0 | pubsub shardnumsub ch => *2 $2 ch :0", true },
    /* transactions */
    { "the words of MULTI", "exec => -ERR EXEC without MULTI | discard => -ERR DISCARD without MULTI | multi => +OK | "
      "multi => -ERR MULTI calls can not be nested | watch k => -ERR WATCH inside MULTI is not allowed | set k v => "
      "+QUEUED | exec => *1 +OK | multi | nosuch | exec => -EXECABORT Transaction discarded because of previous "
      "errors. | multi | set k w | discard => +OK | get k => $1 v", false },
    { "WATCH", "watch k | 2> set k v | multi | get k | exec => *-1 | watch k | 2> get k | multi | exec => *0 | watch k "
      "| set k w | unwatch | multi | exec => *0", false },
    { "an error that only shows when it runs stops nothing", "set k v | multi | lpush k a | set k w | exec | get k => "
      "$1 w", false },
    /* ranges, lists, sorted sets */
    { "ZRANGE LIMIT", "zadd z 1 a 2 b 3 c | zrange z -inf +inf byscore limit -1 5 => *0 | zrange z -inf +inf byscore "
      "limit 1 -1 => *2 $1 b $1 c | zrange z 0 -1 limit 1 1 => -ERR syntax error, LIMIT is only supported in "
      "combination with either BYSCORE or BYLEX | zrange z - + bylex withscores => -ERR syntax error, WITHSCORES not "
      "supported in combination with BYLEX | zrange z (1 3 byscore => *2 $1 b $1 c | zrange z 3 1 byscore rev => *3 $1 "
      "c $1 b $1 a | zrange z 0 -1 rev => *3 $1 c $1 b $1 a", false },
    { "ZADD", "zadd z ch 9 a 9 b => :2 | zadd z ch 9 a 8 b 7 c => :2 | zadd z 1 d 2 d => :1 | zscore z d => $1 2 | "
      "zadd z nx incr 1 a => $-1 | zadd z gt incr -1 a => $-1 | zadd z foo 1 a => " SYN " | zadd z x a => -ERR value "
      "is not a valid float | zadd z nx xx 1 a => -ERR XX and NX options at the same time are not compatible | zadd z "
      "gt lt 1 a => -ERR GT, LT, and/or NX options at the same time are not compatible | zadd z incr 1 a 2 b => -ERR "
      "INCR option supports a single increment-element pair | zadd i inf a | zincrby i -inf a => -ERR resulting score "
      "is not a number (NaN) | zadd no xx 1 a => :0 | exists no => :0", true },
    { "order of equal scores", "zadd z 0 b 0 B 0 aa 0 a | zrange z 0 -1 => *4 $1 B $1 a $2 aa $1 b | zpopmin z 10 | "
      "exists z => :0", false },
    { "LREM, LTRIM, LPOS, RPOPLPUSH", "rpush l a b a c a | lrem l -1 a => :1 | lrange l 0 -1 => *4 $1 a $1 b $1 a $1 c "
      "| lrange l -100 100 => *4 $1 a $1 b $1 a $1 c | lrange l 5 2 => *0 | lpos l a rank -1 => :2 | lpos l a count 0 "
      "=> *2 :0 :2 | lpos l a rank -1 count 0 => *2 :2 :0 | rpoplpush l l => $1 c | linsert l before x y => :-1 | "
      "linsert no before x y => :0 | ltrim l 5 2 => +OK | exists l => :0 | lpos l a rank 0 => -ERR RANK can't be zero: "
      "use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
      false },
    { "a hash keeps the order of insertion", "hset h a 1 b 2 c 3 | hset h a 9 | hgetall h | hdel h a | hset h a 1 | "
      "hkeys h => *3 $1 b $1 c $1 a", false },
    { "long doubles", "set k 10.5 | incrbyfloat k 0.1 => $4 10.6 | set k 5.0e3 | incrbyfloat k 2.0e2 => $4 5200 | "
      "incrbyfloat k x => -ERR value is not a valid float | set k x | incrbyfloat k 1 => -ERR value is not a valid "
      "float | hset h f 1e308 | hincrbyfloat h f inf => -ERR value is NaN or Infinity | hset h f abc | hincrbyfloat h "
      "f 1 => -ERR hash value is not a float", false },
    { "integers have one spelling", "set k 1 | incrby k 01 => " INT " | incrby k +1 => " INT " | incrby k ' 1' => " INT
      " | incrby k -0 => " INT " | incrby k 9223372036854775807 => -ERR increment or decrement would overflow | decrby "
      "k -9223372036854775808 => -ERR decrement would overflow", false },
    { "SORT puts elements whole into patterns, NUL bytes, too", "rpush l 'a\\0b' | set w:a no | set 'w:a\\0b' yes | "
      "sort l by nosort get w:* => *1 $3 yes | sort l by nosort get w:* store m => :1 | lrange m 0 -1 => *1 $3 yes",
      false },
    { "a stream's bounds are C strings", "xadd s 1-1 a b => $3 1-1 | xrange s - '+\\0' => *1 *2 $3 1-1 *2 $1 a $1 b | "
      "xrange s '-\\0x' + count 1 => *1 *2 $3 1-1 *2 $1 a $1 b | xadd s '*\\0' c d => $15 1700000000000-0", false },
    /* what later versions do otherwise */
    { "ZRANK has no WITHSCORE", "zadd z 1 a | zrank z a withscore => -ERR wrong number of arguments for 'zrank' "
      "command", false },
    { "os is not there", "eval 'return os.clock()' 0", false },
};

#endif
