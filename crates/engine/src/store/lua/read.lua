-- Returns a record's head, its version, the time of its last change, and its remaining lifetime in
-- milliseconds. KEYS: its head.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local record = redis.call('HMGET', KEYS[1], 'head', 'version', 'changed', 'expires')
if not record[2] then
    return false
end
return {record[1], tonumber(record[2]), tonumber(record[3]), math.floor((tonumber(record[4]) - now) / 1000)}
