/* test_script_codecs.c - cmsgpack and struct: bytes as specified, round trips of random values, and hostile input that
 * harms nothing. tests/conformance/scripts compares both with the libraries of a real server. */
#include "script_rig.h"

#include "base/rng.h"

/* Source: the MessagePack specification, formats overview. */
static void messagepack_bytes_are_as_specified(void **state)
{
    RIG_ALL(*state, { "return bit.tohex(cmsgpack.pack(127):byte(),2)", "$2 7f" },
            { "return {cmsgpack.pack(128):byte(1,-1)}", "*2 :204 :128" },
            { "return {cmsgpack.pack(256):byte(1,-1)}", "*3 :205 :1 :0" },
            { "return {cmsgpack.pack(65536):byte(1,-1)}", "*5 :206 :0 :1 :0 :0" },
            { "return {cmsgpack.pack(2^32):byte(1,-1)}", "*9 :207 :0 :0 :0 :1 :0 :0 :0 :0" },
            { "return {cmsgpack.pack(-32):byte(1,-1)}", "*1 :224" },
            { "return {cmsgpack.pack(-33):byte(1,-1)}", "*2 :208 :223" },
            { "return {cmsgpack.pack(-129):byte(1,-1)}", "*3 :209 :255 :127" },
            { "return {cmsgpack.pack(0.5):byte(1,-1)}", "*5 :202 :63 :0 :0 :0" },
            { "return {cmsgpack.pack(0.1):byte(1)}", "*1 :203" },
            { "return {cmsgpack.pack(nil,true,false):byte(1,-1)}", "*3 :192 :195 :194" },
            { "return {cmsgpack.pack('ab'):byte(1,-1)}", "*3 :162 :97 :98" },
            { "return {cmsgpack.pack({1,2}):byte(1,-1)}", "*3 :146 :1 :2" },
            { "return {cmsgpack.pack({}):byte(1,-1)}", "*1 :144" },
            { "return {cmsgpack.pack({a=1}):byte(1,-1)}", "*4 :129 :161 :97 :1" },
            { "return {cmsgpack.pack(('x'):rep(32)):byte(1,2)}", "*2 :217 :32" },
            { "return {cmsgpack.unpack('\\193')}",
              "-ERR user_script:1: Bad data format in input., on @user_script:1." },
            { "return {cmsgpack.unpack('\\205\\1')}", "-ERR user_script:1: Missing bytes in input., on "
              "@user_script:1." },
            { "return {cmsgpack.unpack_one('\\1\\2\\3',1)}", "*2 :2 :2" },
            { "return {cmsgpack.unpack_one('\\1\\2\\3',2)}", "*2 :-1 :3" },
            { "return {cmsgpack.unpack_limit('\\1\\2\\3',2)}", "*3 :2 :1 :2" });
}

static void structures_are_laid_out_as_in_c(void **state)
{
    RIG_ALL(*state, { "return {struct.pack('>I2',258):byte(1,-1)}", "*2 :1 :2" },
            { "return {struct.pack('<I2',258):byte(1,-1)}", "*2 :2 :1" },
            { "return {struct.pack('!4bi',1,2):byte(1,-1)}", "*8 :1 :0 :0 :0 :2 :0 :0 :0" },
            { "return struct.pack('Bc0s',2,'ab','c') == '\\2abc\\0'", ":1" },
            { "return {struct.unpack('Bc0I',struct.pack('Bc0I',3,'abc',7))}", "*3 $3 abc :7 :9" },
            { "return {struct.unpack('<h','\\254\\255')}", "*2 :-2 :3" },
            { "return {struct.unpack('i9','8,-0,1.0]')}", "*2 :-72 :10" },
            { "return {struct.pack('I8',0/0):byte(1,-1)}", "*8 :0 :0 :0 :0 :0 :0 :0 :128" },
            { "return {struct.pack('I8',1/0):byte(1,-1)}", "*8 :0 :0 :0 :0 :0 :0 :0 :0" },
            { "return {struct.size('!bhilLTfd'),struct.size('bhilLTfd')}", "*2 :48 :43" },
            { "return struct.pack('q',1)", "-ERR user_script:1: bad argument #1 to 'pack' (invalid format option 'q'), "
              "on @user_script:1." },
            { "return struct.unpack('I4','abc')", "-ERR user_script:1: bad argument #2 to 'unpack' (data string too "
              "short), on @user_script:1." });
}

/* Property: unpack(pack(x)) is x, nested tables too. */
static void random_values_survive_the_round_trip(void **state)
{
    script_rig *g = *state;
    static const char body[] =
        "local function value(d)\n"
        "  local k = math.random(d > 0 and 8 or 5)\n"
        "  if k == 1 then return math.random(-2147483648, 2147483647) end\n"
        "  if k == 2 then return math.random(-200, 200) end\n"
        "  if k == 3 then return ('s'):rep(math.random(0, 300)) end\n"
        "  if k == 4 then return math.random() end\n"
        "  if k == 5 then return math.random(2) == 1 end\n"
        "  local t = {}\n"
        "  if k == 6 then for i = 1, math.random(0, 20) do t[i] = value(d - 1) end return t end\n"
        "  for i = 1, math.random(0, 5) do t['k' .. i] = value(d - 1) end\n"
        "  return t\n"
        "end\n"
        "local function same(a, b)\n"
        "  if type(a) ~= 'table' or type(b) ~= 'table' then return a == b end\n"
        "  for k, v in pairs(a) do if not same(v, b[k]) then return false end end\n"
        "  for k in pairs(b) do if a[k] == nil then return false end end\n"
        "  return true\n"
        "end\n"
        "for i = 1, 50 do\n"
        "  local v = { value(3) }\n"
        "  local back = cmsgpack.unpack(cmsgpack.pack(v))\n"
        "  if not same(back, v) then return cjson.encode(v) end\n"
        "end\n"
        "for i = 1, 300 do\n"
        "  local a, b, c, s = math.random(-128, 127), math.random(0, 65535), math.random(-2147483648, 2147483647), "
            "('z'):rep(math.random(0, 40))\n"
        "  local f = (math.random(2) == 1 and '>' or '<') .. (math.random(2) == 1 and '!' or '') .. 'b H i d s Bc0'\n"
        "  local r = { struct.unpack(f, struct.pack(f, a, b, c, c / 7, s, #s, s)) }\n"
        "  if r[1] ~= a or r[2] ~= b or r[3] ~= c or r[4] ~= c / 7 or r[5] ~= s or r[6] ~= s then return f end\n"
        "end\n"
        "return 'same'\n";
    for (int i = 0; i < 40; i++)
        assert_string_equal(rig_eval(g, body), "$4 same");
}

/* Property: whatever the bytes, an answer comes back and nothing is read beyond them (run under the address
 * sanitizer). */
static void hostile_bytes_are_refused_or_read(void **state)
{
    script_rig *g = *state;
    rng random = rng_new(5, 0);
    static const char *const bodies[] = {
        "return {pcall(cmsgpack.unpack,ARGV[1])} and 1", "return {pcall(cmsgpack.unpack_limit,ARGV[1],3,1)} and 1",
        "return {pcall(cjson.decode,ARGV[1])} and 1", "return {pcall(struct.unpack,ARGV[1],ARGV[1])} and 1",
        "return {pcall(struct.pack,ARGV[1],1,2,'x',3,'y')} and 1", "return {pcall(struct.size,ARGV[1])} and 1",
        "return {pcall(string.find,ARGV[1],ARGV[1])} and 1", "return {pcall(string.format,ARGV[1],1,'x',2)} and 1",
        "return {pcall(loadstring,ARGV[1])} and 1",
    };
    static const char likely[] = "\x81\x91\xa1\xc4\xca\xcf\xd9\xdb\xdc\xdd\xde\xdf\xff\x00\x01[]{}\","
                                 ":<>!bBhHlLTiIcsfdx 0129%()*+-.?$^";
    for (size_t i = 0; i < 8000; i++) {
        char bytes[24];
        size_t n = rng_below(&random, sizeof bytes);
        for (size_t k = 0; k < n; k++)
            bytes[k] = rng_below(&random, 3) ? likely[rng_below(&random, sizeof likely - 1)] : (char)rng_next(&random);
        str argv[] = { S("eval"), str_from(bodies[i % COUNT(bodies)]), S("0"), { bytes, n } };
        reply r = rig_command(g, argv, COUNT(argv));
        assert_true(r.kind == REPLY_INTEGER || r.kind == REPLY_ERROR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messagepack_bytes_are_as_specified, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(structures_are_laid_out_as_in_c, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(random_values_survive_the_round_trip, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(hostile_bytes_are_refused_or_read, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
