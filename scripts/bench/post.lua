-- For wrk: the bytes of the request are the first argument after "--"; the result is printed as one line of JSON.
local payload

function init (args)
  payload = args[1]
end

function request ()
  return payload
end

function done (summary)
  local errors = summary.errors
  io.write(string.format('\n{"answered":%d,"micros":%d,"bytes":%d,"refused":%d,"failed":%d}\n',
    summary.requests, summary.duration, summary.bytes, errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
