/* global Deno, TextEncoder */
import { openInterpreter } from './interpreter.mjs'
import { openProgram } from './program.mjs'

// The root module of a Python cell: wakes an interpreter from the snapshot, gives up what it may read, takes one job, and
// reports in frames. Arguments: Pyodide's folder, the snapshot.
//
// No object of JavaScript is ever in Python's hands, and the nonce is only ever bytes in this scope.
const { args, stdin, stdout, stderr, exit, openSync, permissions } = Deno
const [pyodideFolder, snapshotFile] = args
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const encode = text => encoder.encode(text)
const decode = bytes => decoder.decode(bytes)

const NONCE_BYTES = 32
const DIGITS = 9
const SPACE = 32
const LINE = 10
const SIGINT = 2
const AGAIN_MS = 25
const DEVICE = '/dev/svc'

function say (bytes) {
  for (let at = 0; at < bytes.length;) at += stdout.writeSync(bytes.subarray(at))
}

function frameWriter (nonce) {
  return body => {
    const bytes = encode(body)
    const count = encode(String(bytes.length))
    const frame = new Uint8Array(bytes.length + count.length + 2 * NONCE_BYTES + 5).fill(SPACE)
    const at = NONCE_BYTES + count.length + 3
    frame[0] = frame[frame.length - 1] = LINE
    frame.set(nonce, 1)
    frame.set(count, NONCE_BYTES + 2)
    frame.set(bytes, at)
    frame.set(nonce, at + bytes.length + 1)
    say(frame)
  }
}

/** Interrupts Python when its time is up, and again for as long as that was not heeded: it asks for that all the while. */
function openClock () {
  let until = Infinity
  let look = () => {}
  return {
    whenAsked: work => { look = work },
    alarm: milliseconds => { until = milliseconds === 0 ? Infinity : performance.now() + milliseconds },
    interrupt: {
      get 0 () {
        look()
        if (until === Infinity || performance.now() < until) return 0
        until = performance.now() + AGAIN_MS
        return SIGINT
      },
      set 0 (_heeded) {}
    }
  }
}

/** As `snapshot.mjs` wrote it. Pyodide is given the head alone, and its memory what stands in the file, without a copy of it. */
function openSnapshot () {
  const file = openSync(snapshotFile)
  const fill = bytes => {
    for (let at = 0; at < bytes.length;) {
      const count = file.readSync(bytes.subarray(at))
      if (count === null) throw new Error('the snapshot is not whole')
      at += count
    }
  }
  const numbers = count => {
    const read = new Uint32Array(count)
    fill(new Uint8Array(read.buffer))
    return read
  }
  const [headLength, size, count] = numbers(3)
  const pieces = numbers(2 * count)
  const head = new Uint8Array(headLength)
  fill(head)
  const layOut = module => {
    // Pyodide is given 30 MiB at the start whatever it asks for, so it has to grow first.
    if (module.HEAP8.length < size) module._free(module._malloc(size))
    let done = 0
    for (let i = 0; i < pieces.length; i += 2) {
      clear(module.HEAP8, done, pieces[i])
      fill(new Uint8Array(module.HEAP8.buffer, pieces[i], pieces[i + 1] - pieces[i]))
      done = pieces[i + 1]
    }
    clear(module.HEAP8, done, module.HEAP8.length)
    file.close()
    return module
  }
  return { head, layOut }
}

/** What was never written to takes no memory, so that is only looked at. */
function clear ({ buffer }, from, to) {
  const words = new Int32Array(buffer, from, (to - from) / Int32Array.BYTES_PER_ELEMENT)
  const { length } = words
  for (let at = 0; at < length; at += 4) {
    if ((words[at] | words[at + 1] | words[at + 2] | words[at + 3]) !== 0) words[at] = words[at + 1] = words[at + 2] = words[at + 3] = 0
  }
}

function wake () {
  const { head, layOut } = openSnapshot()
  return openInterpreter(pyodideFolder, { stderr: () => {}, _loadSnapshot: head }, layOut)
}

/** The device that Python writes to: one order each time, a letter and what belongs to it. */
function openDevice ({ FS }, orders) {
  const device = FS.makedev(70, 0)
  FS.registerDevice(device, {
    open () {},
    close () {},
    write (_stream, memory, offset, length) {
      const text = decode(memory.slice(offset, offset + length))
      orders(text[0], text.slice(1))
      return length
    }
  })
  FS.mkdev(DEVICE, 0o222, device)
}

/** The nonce, a space, the length of the job, a line feed, the job. */
async function receive () {
  const head = await readWhole(NONCE_BYTES + DIGITS + 2)
  const body = await readWhole(Number(decode(head.subarray(NONCE_BYTES + 1, NONCE_BYTES + 1 + DIGITS))))
  const received = { nonce: head.slice(0, NONCE_BYTES), job: decode(body) }
  head.fill(0)
  body.fill(0)
  return received
}

async function readWhole (size) {
  const all = new Uint8Array(size)
  for (let at = 0; at < size;) {
    const count = await stdin.read(all.subarray(at))
    if (count === null) throw new Error('the service went away')
    at += count
  }
  return all
}

function tellDeath (program, reason) {
  program.flush()
  report(JSON.stringify({ type: 'thrown', message: reason }))
}

/** Gives the exit code. Told of are the files that it wrote and what it came to, where the interpreter lived to say so. */
function runToItsEnd (program, run, report) {
  let over
  try {
    over = run()
  } catch (error) {
    const [, code] = /^Program terminated with exit\((-?\d+)\)$/.exec(error?.message) ?? [] // by os._exit
    if (code === undefined) throw error
    over = `{"exitCode":${code & 255}}`
  }
  program.flush()
  program.reportFiles()
  report(`{"type":"over","event":${over}}`)
  return JSON.parse(over).exitCode
}

let program // what is run instead of tests or calls
let report
try {
  const python = await wake()
  const { interrupt, alarm, whenAsked } = openClock()
  python.setInterruptBuffer(interrupt)
  const still = new Int32Array(new SharedArrayBuffer(4))
  const harness = python.globals.get('_svc_job')
  const { rehearse, prepare, run, run_program: runProgram, connect } = harness
  rehearse()
  openDevice(python, (order, body) => {
    if (order === 'p') {
      if (program) program.flush()
      Atomics.wait(still, 0, 0, Number(body) / 1000)
    } else if (order === 'a') {
      alarm(Number(body))
    } else if (order === 'd' && program) {
      program.need(body)
    } else if (order === 't' && !program) {
      JSON.parse(body) // throws at what is not one whole value: nothing can be slipped in beside it
      report(`{"type":"told","event":${body}}`)
    }
  })
  connect(DEVICE)
  python.globals.delete('_svc_job')
  for (const name of ['read', 'write', 'net', 'env', 'run', 'sys', 'ffi', 'import']) permissions.revokeSync({ name })
  for (const name of ['localStorage', 'sessionStorage', 'caches']) delete globalThis[name]
  say(encode('READY\n'))

  const { nonce, job } = await receive()
  report = frameWriter(nonce)
  const asked = JSON.parse(job)
  if ('entry' in asked) {
    program = openProgram(python, asked, { streams: { stdout, stderr }, report })
    whenAsked(program.flushOld)
    const code = runToItsEnd(program, () => { prepare(job); return runProgram() }, report)
    exit(code)
  }
  report(`{"type":"looked","at":${prepare(job)}}`)
  run()
  report('{"type":"end"}')
  exit(0)
} catch (error) {
  const reason = String(error?.message ?? error).slice(-2000)
  if (program) tellDeath(program, reason)
  else stderr.writeSync(encode(`${reason}\n`))
  exit(97)
}
