-- Takes a turn in a queue. KEYS: the queue. ARGV: step, burst and longest wait, in microseconds.
-- Returns whether the turn was taken, and the wait.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local booked = tonumber(redis.call('GET', KEYS[1]) or '0')
local finish = math.max(booked, now) + tonumber(ARGV[1])
local wait = math.max(finish - now - tonumber(ARGV[2]), 0)
if wait > tonumber(ARGV[3]) then
    return {0, wait}
end
redis.call('SET', KEYS[1], string.format('%.0f', finish), 'PX', string.format('%.0f', math.ceil((finish - now) / 1000) + 1000))
return {1, wait}
