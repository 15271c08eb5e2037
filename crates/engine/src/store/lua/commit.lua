-- Makes a change to one record. KEYS: its head, its rows. ARGV: the precondition, the expected
-- version, whether there is a head, the head, the lifetime in microseconds (-1: unchanged), the
-- grace period in milliseconds, an id for this change, then log, row and keep of each row. Returns
-- the result, the version, the time of the change, and whether the record is new.
local FOREVER = 4503599627370496
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local expects = ARGV[1]
local before = redis.call('HMGET', KEYS[1], 'version', 'expires', 'changed', 'name')
local version, expires, changed = tonumber(before[1]), tonumber(before[2]), tonumber(before[3])
local must_exist = expects == 'version' or expects == 'present'

-- The same change is sent again when its answer was lost: it has been made already.
if version and before[4] == ARGV[7] then
    return {'done', version, changed, 0}
end
if must_exist and (not version or expires <= now) then
    return {'missing', 0, 0, 0}
end
if version and (expects == 'new' or (expects == 'version' and version ~= tonumber(ARGV[2]))) then
    return {'conflict', 0, 0, 0}
end

local is_new = not version
local integer = function(number) return string.format('%.0f', number) end
local lives = tonumber(ARGV[5])
if lives >= 0 then
    expires = math.min(now + lives, FOREVER)
end
expires = expires or FOREVER
changed = math.max(changed or 0, now)
if is_new or ARGV[3] == '1' then
    version = (version or 0) + 1
    redis.call('HSET', KEYS[1], 'head', ARGV[4])
end
redis.call('HSET', KEYS[1], 'version', integer(version), 'expires', integer(expires), 'changed', integer(changed), 'name', ARGV[7])
for index = 8, #ARGV, 3 do
    local log = ARGV[index]
    local last = redis.call('HINCRBY', KEYS[1], 'last:' .. log, 1)
    redis.call('HSET', KEYS[2], log .. ':' .. integer(last), ARGV[index + 1])
    local first = tonumber(redis.call('HGET', KEYS[1], 'first:' .. log) or '1')
    local kept_from = last - tonumber(ARGV[index + 2]) + 1
    while first < kept_from do
        redis.call('HDEL', KEYS[2], log .. ':' .. integer(first))
        first = first + 1
    end
    redis.call('HSET', KEYS[1], 'first:' .. log, integer(first))
end
local gone = integer(math.ceil(expires / 1000) + tonumber(ARGV[6]))
redis.call('PEXPIREAT', KEYS[1], gone)
redis.call('PEXPIREAT', KEYS[2], gone)
return {'done', version, changed, is_new and 1 or 0}
