// The Lua script that Redis runs for the rate counter, so that concurrent processes together grant exactly the budget.

/**
 * KEYS: the key. ARGV: `take`, `give-back` or `peek`; the kind of the window and its milliseconds; the time from which
 * a unit taken now counts, and the current time, both in milliseconds; units; the limit. The value of the key is `KIND
 * MILLISECONDS AT:UNITS …`, oldest entry first. Returns whether the budget is exceeded (1 or 0), and the entries after
 * the action.
 */
export const script = `
local action, head = ARGV[1], ARGV[2] .. ' ' .. ARGV[3]
local window, from, now = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local units, limit = tonumber(ARGV[6]), tonumber(ARGV[7])
local at, taken, used = {}, {}, 0
local stored = redis.call('GET', KEYS[1])
if stored and stored:sub(1, #head + 1) == head .. ' ' then
  for start, count in stored:sub(#head + 2):gmatch('(%d+):(%d+)') do
    if tonumber(start) + window > now then
      at[#at + 1], taken[#taken + 1] = tonumber(start), tonumber(count)
      used = used + taken[#taken]
    end
  end
end
local exceeded, changed = 0, false
if action == 'take' then
  if used + units > limit then
    exceeded = 1
  else
    changed = true
    if #at > 0 and at[#at] >= from then
      taken[#taken] = taken[#taken] + units
    else
      at[#at + 1], taken[#taken + 1] = from, units
    end
  end
elseif action == 'give-back' and #at > 0 then
  changed = true
  taken[#taken] = taken[#taken] - 1
  if taken[#taken] == 0 then at[#at], taken[#taken] = nil, nil end
elseif action == 'peek' and used >= limit then
  exceeded = 1
end
local entries = {}
for index = 1, #at do entries[index] = string.format('%.0f:%.0f', at[index], taken[index]) end
local text = table.concat(entries, ' ')
if changed and #at == 0 then
  redis.call('DEL', KEYS[1])
elseif changed then
  redis.call('SET', KEYS[1], head .. ' ' .. text, 'PX', string.format('%.0f', math.max(at[#at] + window - now, 1)))
end
return { exceeded, text }
`;
