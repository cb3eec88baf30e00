import { type ChildProcess, spawn } from 'node:child_process'

// A shell that reads numbers of process groups. When its stdin ends, it kills all of them and removes the folder. That happens
// when the service closes it, and also when the service was killed, which the service itself cannot handle.
const SCRIPT = `
trap '' INT TERM HUP
set -f
groups=' '
while read -r op group; do
  case $op in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null || kill -s KILL "$group" 2>/dev/null; done
rm -rf -- "$1"
`

/** Ends all processes of the sandbox together with the service, even when that was killed by SIGKILL. */
export class Guardian {
  readonly #folder: string
  readonly #groups = new Set<number>()
  #shell: ChildProcess | undefined
  #closed = false

  constructor (folder: string) {
    this.#folder = folder
    this.#start() // before the first process, since the folder exists already
  }

  /** Adds a process group, or a process that leads none. */
  watch (group: number): void {
    this.#groups.add(group)
    if (this.#shell) this.#send(`+ ${group}`)
    else this.#start()
  }

  forget (group: number): void {
    if (this.#groups.delete(group)) this.#send(`- ${group}`)
  }

  /** Ends the shell, which removes the folder. */
  async close (): Promise<void> {
    this.#closed = true
    const shell = this.#shell
    if (!shell || shell.exitCode !== null || shell.signalCode !== null) return
    const ended = new Promise(resolve => shell.once('exit', resolve))
    shell.ref()
    shell.stdin?.end()
    await ended
  }

  #start (): void {
    if (process.platform === 'win32' || this.#closed) return
    const options = { stdio: ['pipe', 'ignore', 'ignore'] as ['pipe', 'ignore', 'ignore'], detached: true, env: { PATH: '/usr/bin:/bin' } }
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'svc-sandbox-guardian', this.#folder], options)
    this.#shell = shell
    shell.on('error', () => { this.#shell = undefined })
    shell.stdin.on('error', () => { this.#shell = undefined }) // it was killed: its successor is given all groups
    shell.once('exit', (_code, signal) => {
      if (this.#shell === shell) this.#shell = undefined
      if (signal !== null && this.#groups.size > 0) this.#start()
    })
    shell.unref()
    for (const group of this.#groups) this.#send(`+ ${group}`)
  }

  #send (line: string): void {
    this.#shell?.stdin?.write(`${line}\n`)
  }
}
