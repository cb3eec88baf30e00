// The last message is { key, steps }. A step is a string or an event of the contract, or one of
// { seen: true } (what the agent was asked), { gate: true } (waits until the test opens it), { hang: true },
// { wait: ms }, { throw: message }, { tooLong: message }, { repeat: n, step }.

const records = new Map()
const recordOf = key => {
  if (!records.has(key)) records.set(key, { runs: 0, outcome: null, endedAt: null, request: null, gate: gate() })
  return records.get(key)
}

export class Scripted {
  modelInfo () { return { max_input_tokens: 1000, max_output_tokens: 500 } }

  async * reply (request, signal) {
    const { key, steps } = JSON.parse(request.messages.at(-1).content)
    const record = recordOf(key)
    record.runs++
    record.request = request
    record.outcome = 'running'
    const end = outcome => { record.outcome = outcome; record.endedAt = Date.now() }
    try {
      yield * play(steps, { request, signal, gate: record.gate.promise })
      end('finished')
    } catch (error) {
      end(signal.aborted ? 'aborted' : 'failed')
      throw error
    } finally {
      if (record.outcome === 'running') end('aborted') // left while it stood at a yield
    }
  }
}

/** The same, for what has tools of its own. */
export class Tooled extends Scripted {
  accepts = ['tools', 'response_format', 'reasoning_effort', 'stop', 'seed']
}

/** What the scripted agent knows of a key; with `open`, its gate is opened. */
export class Witness {
  modelInfo () { return { max_input_tokens: 1000, max_output_tokens: 500 } }

  async * reply (request) {
    const { key, open } = JSON.parse(request.messages.at(-1).content)
    const { gate, ...record } = recordOf(key)
    if (open) gate.resolve()
    yield { type: 'usage', prompt_tokens: 1, completion_tokens: 1 } // spares the service the counting
    yield JSON.stringify(record)
  }
}

async function * play (steps, run) {
  for (const step of steps) {
    if (typeof step === 'string' || 'type' in step) yield step
    else if ('seen' in step) yield JSON.stringify(run.request.messages.slice(0, -1))
    else if ('gate' in step) await Promise.race([run.gate, pause(2 ** 30, run.signal)])
    else if ('hang' in step) await pause(2 ** 30, run.signal)
    else if ('wait' in step) await pause(step.wait, run.signal)
    else if ('throw' in step) throw new Error(step.throw)
    else if ('tooLong' in step) throw Object.assign(new Error(step.tooLong), { name: 'InputTooLong' })
    else if ('repeat' in step) for (let i = 0; i < step.repeat; i++) yield step.step
  }
}

function pause (ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms).unref()
    signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason) })
  })
}

// Node 20 has no Promise.withResolvers.
function gate () {
  let resolve
  const promise = new Promise(done => { resolve = done })
  return { promise, resolve }
}
