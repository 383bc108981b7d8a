-- One exchange between a worker process and the shared limits of a judge. Runs alone on the server, so it is atomic.
--
-- KEYS[1]  a hash: the judge's level, pause and buckets, and one field "m:ID" for each process at work.
-- ARGV[1]  JSON, the report of a process (shares.py, Shares.report); times in milliseconds.
-- Returns  JSON, what the process may do until its next report (shares.py, Shares.apply).
--
-- Invariant: the places recorded as held by live processes are never fewer than those in use, and a grant never lifts
-- their sum above the level. A process gives places back by reporting fewer; only its own report lowers its record.

local key, a = KEYS[1], cjson.decode(ARGV[1])
local BURST = 1000 -- a bucket's size
local AHEAD = 100 -- so much may be reserved at once when there is nothing
local HORIZON = 2000 -- no reservation further ahead: what is given back meanwhile would not help who has reserved
local TURN = 10000 -- odd places change hands after that long

-- What is stored ------------------------------------------------------------------------------------------------

local s, members = {}, {}
local flat = redis.call('HGETALL', key)
for i = 1, #flat, 2 do
  local id = string.match(flat[i], '^m:(.+)$')
  if id then
    local seq, held, want, running, expires = string.match(flat[i + 1], '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
    members[id] = { seq = tonumber(seq), held = tonumber(held), want = tonumber(want),
      running = tonumber(running), expires = tonumber(expires) }
  else
    s[flat[i]] = tonumber(flat[i + 1]) or flat[i + 1]
  end
end

-- The server's clock may be set: time that runs backwards stands still here.
local t = redis.call('TIME')
local wall = t[1] * 1000 + math.floor(t[2] / 1000)
local now = s.now and s.now + math.max(0, wall - s.wall) or wall
s.now, s.wall = now, wall

local known = a.epoch ~= '' -- the process holds places that it was given here before
if not s.level then -- first use, or everything was deleted: a process that was here remembers how things stood
  s = { now = now, wall = wall, epoch = a.fresh, cut = 0, eased = 0, grace = 0, why = '', threshold = 0,
    level = a.ceiling, ceiling = a.ceiling, rpm = a.rpm, tpm = a.tpm, until_ = now }
  if known then
    s.level, s.threshold, s.why, s.until_ = a.level, a.threshold, a.why, now + a.pause
  end
end

local me = members[a.id]
if known and not a.leaving and (not me or me.expires < now) then
  s.grace = now + a.lease -- others were out of touch, too: no new places until each of them has reported
end
local old = me and a.seq <= me.seq -- a repeated or overtaken report: nothing in it is new
for id, m in pairs(members) do
  if m.expires < now and id ~= a.id then
    members[id] = nil
    redis.call('HDEL', key, 'm:' .. id)
  end
end

-- Limits and signals --------------------------------------------------------------------------------------------

local function clamp(level)
  s.level = math.min(s.ceiling, math.max(1, level))
  if s.level >= s.ceiling and s.until_ <= now then s.why = '' end
end

if a.set and not old then
  local whole = s.level >= s.ceiling
  s.ceiling, s.rpm, s.tpm = a.ceiling, a.rpm, a.tpm
  clamp(whole and s.ceiling or s.level)
end

if not old then -- the rules of adaptive.py, for all processes together
  local cut = a.cut and now - a.began >= s.cut and now - s.cut >= a.round
  if cut then
    s.threshold = math.max(1, s.level / 2)
    s.level, s.cut, s.why = s.threshold, now, a.fault
  end
  if a.careful then
    if not cut then s.threshold = math.max(s.threshold, s.level) end
    s.level, s.cut, s.why = 1, now, a.fault
  end
  if a.pausing and (a.careful or cut) then s.until_ = math.max(s.until_, now + a.pause) end
  if a.eased and now - math.max(s.eased, s.cut) >= a.round then
    local floor = math.min(s.level, math.max(1, s.ceiling * a.ease_floor))
    s.level, s.eased, s.why = math.max(floor, s.level * a.ease), now, 'latency'
  end
  if a.grown > 0 and not cut and not a.careful then clamp(s.level + a.grown) end
end

-- Places: as evenly as the wishes allow; odd ones take turns -----------------------------------------------------

local level = math.floor(s.level + 1e-6)
local wishes, others_held, others_running, count = {}, 0, 0, 0
for id, m in pairs(members) do
  if id ~= a.id then
    others_held, others_running = others_held + m.held, others_running + m.running
    count = count + 1
    if m.want > 0 then wishes[#wishes + 1] = { id = id, want = m.want } end
  end
end
if a.want > 0 then wishes[#wishes + 1] = { id = a.id, want = a.want } end
table.sort(wishes, function(x, y)
  if x.want ~= y.want then return x.want < y.want end
  return x.id < y.id
end)

local function fair()
  local rest, n = level, #wishes
  for i, wish in ipairs(wishes) do
    local part = math.floor(rest / n)
    if wish.want > part then -- so do all that follow: the same for each, the odd ones by turns
      local before, mine = 0, false
      for k = i, #wishes do
        if wishes[k].id < a.id then before = before + 1 end
        mine = mine or wishes[k].id == a.id
      end
      local turn = (before + math.floor(now / TURN)) % n
      return mine and part + (turn < rest - part * n and 1 or 0) or 0
    end
    if wish.id == a.id then return wish.want end
    rest, n = rest - wish.want, n - 1
  end
  return 0
end

local target, held = fair(), a.held
if old then
  held = me.held
elseif now >= s.grace then
  held = math.max(a.held, math.min(target, level - others_held))
end

-- Requests and tokens: reserved in the order of asking ----------------------------------------------------------

local function bucket(name, limit, fix)
  if not limit or limit <= 0 then
    if s[name] then redis.call('HDEL', key, name, name .. '_at') end
    s[name], s[name .. '_at'] = nil, nil
    return nil
  end
  local rate = limit / 60000
  local size = math.max(1, rate * BURST)
  local filled = s[name] or (known and 0 or size)
  filled = filled + (now - (s[name .. '_at'] or now)) * rate + fix
  s[name], s[name .. '_at'] = math.min(size, filled), now
  return { name = name, rate = rate, size = size }
end

local hungry = math.max(1, #wishes)
local function offer(b, need, hope) -- how much, and after what time
  if not b then return 0, 0 end
  local spare = math.max(need > 0 and b.rate * AHEAD or 0, s[b.name]) / hungry
  local amount = math.max(need, math.floor(math.min(hope, spare)), 0)
  if amount == 0 then return 0, 0 end
  return amount, math.max(0, (math.min(amount, b.size) - s[b.name]) / b.rate)
end

local requests = bucket('requests', s.rpm, old and 0 or a.back_requests)
local tokens = bucket('tokens', s.tpm, old and 0 or a.back_tokens)
local n_requests, n_tokens, wait, why_wait = 0, 0, 0, ''
if not old then
  local wait_requests, wait_tokens
  n_requests, wait_requests = offer(requests, a.need_requests, a.hope_requests)
  n_tokens, wait_tokens = offer(tokens, a.need_tokens, a.hope_tokens)
  wait = math.max(wait_requests, wait_tokens)
  if wait > 0 then why_wait = wait_requests >= wait_tokens and 'rpm' or 'tpm' end
  if wait > HORIZON then n_requests, n_tokens = 0, 0 end
  if requests then s.requests = s.requests - n_requests end
  if tokens then s.tokens = s.tokens - n_tokens end
end

-- Store and answer ----------------------------------------------------------------------------------------------

local function text(value)
  if type(value) == 'number' then return string.format('%.6f', value) end
  return value
end

local write = {}
for name, value in pairs(s) do
  write[#write + 1] = name
  write[#write + 1] = text(value)
end
if a.leaving then
  redis.call('HDEL', key, 'm:' .. a.id)
elseif not old then
  write[#write + 1] = 'm:' .. a.id
  write[#write + 1] = string.format('%d %d %d %d %.0f', a.seq, held, a.want, a.running, now + a.lease)
end
redis.call('HSET', key, unpack(write))
redis.call('PEXPIRE', key, math.floor(math.max(a.forget, s.until_ - now + 60000)))

return cjson.encode({
  epoch = s.epoch, level = s.level, threshold = s.threshold, why = s.why, cut_ago = now - s.cut,
  pause = math.max(0, s.until_ - now), ceiling = s.ceiling, rpm = s.rpm or 0, tpm = s.tpm or 0,
  held = held, target = target, members = count + (a.leaving and 0 or 1), running = others_running,
  requests = n_requests, tokens = n_tokens, wait = wait, bucket = why_wait,
})
