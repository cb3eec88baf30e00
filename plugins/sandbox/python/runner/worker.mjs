/* global Deno, TextEncoder */
import { openInterpreter } from './interpreter.mjs'
import { openProgram } from './program.mjs'

// The root module of a Python worker. It continues an interpreter from the snapshot, gives up all permissions, takes one job and
// sends messages in frames. Arguments: Pyodide's folder, the snapshot.
//
// Python never gets an object of JavaScript, and the nonce is only ever bytes in this scope.
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

function write (bytes) {
  for (let at = 0; at < bytes.length;) at += stdout.writeSync(bytes.subarray(at))
}

/** Returns a function that sends a message in a frame: see frames.ts. */
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
    write(frame)
  }
}

/** Interrupts Python when its time is up, and again until it stops. Python reads the interrupt buffer all the time. */
function openClock () {
  let until = Infinity
  return {
    alarm: milliseconds => { until = milliseconds === 0 ? Infinity : performance.now() + milliseconds },
    interrupt: {
      get 0 () {
        if (until === Infinity || performance.now() < until) return 0
        until = performance.now() + AGAIN_MS
        return SIGINT
      },
      set 0 (_read) {}
    }
  }
}

/** Reads the snapshot as `snapshot.mjs` wrote it. The pieces are read straight into Pyodide's memory, without a copy. */
function openSnapshot () {
  const file = openSync(snapshotFile)
  const fill = bytes => {
    for (let at = 0; at < bytes.length;) {
      const count = file.readSync(bytes.subarray(at))
      if (count === null) throw new Error('the snapshot is not complete')
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
  const fillMemory = module => {
    // Pyodide always begins with 30 MiB, so the memory has to grow first.
    if (module.HEAP8.length < size) module._free(module._malloc(size))
    let end = 0
    for (let i = 0; i < pieces.length; i += 2) {
      clear(module.HEAP8, end, pieces[i])
      fill(new Uint8Array(module.HEAP8.buffer, pieces[i], pieces[i + 1] - pieces[i]))
      end = pieces[i + 1]
    }
    clear(module.HEAP8, end, module.HEAP8.length)
    file.close()
    return module
  }
  return { head, fillMemory }
}

/** Writes only where there is something, since memory that was never written to takes no room. */
function clear ({ buffer }, from, to) {
  const words = new Int32Array(buffer, from, (to - from) / Int32Array.BYTES_PER_ELEMENT)
  const { length } = words
  for (let at = 0; at < length; at += 4) {
    if ((words[at] | words[at + 1] | words[at + 2] | words[at + 3]) !== 0) words[at] = words[at + 1] = words[at + 2] = words[at + 3] = 0
  }
}

/** The device that Python writes its orders to: a letter and what belongs to it. */
function openDevice ({ FS }, onOrder) {
  const device = FS.makedev(70, 0)
  FS.registerDevice(device, {
    open () {},
    close () {},
    write (_stream, memory, offset, length) {
      const text = decode(memory.slice(offset, offset + length))
      onOrder(text[0], text.slice(1))
      return length
    }
  })
  FS.mkdev(DEVICE, 0o222, device)
}

/** The nonce, a space, the length of the job, a line feed, the job. */
async function receive () {
  const head = await read(NONCE_BYTES + DIGITS + 2)
  const body = await read(Number(decode(head.subarray(NONCE_BYTES + 1, NONCE_BYTES + 1 + DIGITS))))
  const received = { nonce: head.slice(0, NONCE_BYTES), job: decode(body) }
  head.fill(0)
  body.fill(0)
  return received
}

async function read (size) {
  const all = new Uint8Array(size)
  for (let at = 0; at < size;) {
    const count = await stdin.read(all.subarray(at))
    if (count === null) throw new Error('the service ended')
    at += count
  }
  return all
}

/** Runs a program, sends its files and how it ended, and returns its exit code. */
function runProgram (program, run, report) {
  let over
  try {
    over = run()
  } catch (error) {
    const [, code] = /^Program terminated with exit\((-?\d+)\)$/.exec(error?.message) ?? [] // by os._exit
    if (code === undefined) throw error
    over = `{"exitCode":${code & 255}}`
  }
  program.reportFiles()
  report(`{"type":"over","event":${over}}`)
  return JSON.parse(over).exitCode
}

let program // where a program is run instead of tests or calls
let report
try {
  const { head, fillMemory } = openSnapshot()
  const python = await openInterpreter(pyodideFolder, { stderr: () => {}, _loadSnapshot: head }, fillMemory)
  const { interrupt, alarm } = openClock()
  python.setInterruptBuffer(interrupt)
  const still = new Int32Array(new SharedArrayBuffer(4))
  const harness = python.globals.get('_svc_job')
  const { rehearse, prepare, run, run_program: runEntry, connect } = harness
  rehearse()
  openDevice(python, (order, body) => {
    if (order === 'p') {
      Atomics.wait(still, 0, 0, Number(body) / 1000)
    } else if (order === 'a') {
      alarm(Number(body))
    } else if (order === 'n' && program) {
      program.need(body)
    } else if (order === 'e' && !program) {
      JSON.parse(body) // throws unless it is one complete value, so nothing can be added to the message
      report(`{"type":"event","event":${body}}`)
    }
  })
  connect(DEVICE)
  python.globals.delete('_svc_job')
  for (const name of ['read', 'write', 'net', 'env', 'run', 'sys', 'ffi', 'import']) permissions.revokeSync({ name })
  for (const name of ['localStorage', 'sessionStorage', 'caches']) delete globalThis[name]
  write(encode('READY\n'))

  const { nonce, job } = await receive()
  report = frameWriter(nonce)
  const parsed = JSON.parse(job)
  if ('entry' in parsed) {
    program = openProgram(python, parsed, { streams: { stdout, stderr }, report })
    exit(runProgram(program, () => { prepare(job); return runEntry() }, report))
  }
  report(`{"type":"prepared","found":${prepare(job)}}`)
  run()
  report('{"type":"end"}')
  exit(0)
} catch (error) {
  const reason = String(error?.message ?? error).slice(-2000)
  if (program) report(JSON.stringify({ type: 'thrown', message: reason }))
  else stderr.writeSync(encode(`${reason}\n`))
  exit(97)
}
