import { type ChildProcess, spawn } from 'node:child_process'

// Ends every process group that it was told of, and removes the folder, once its stdin ends: when the service closes it, and
// also when the service itself was killed, which no handler of the service's own could see. Its groups are numbers.
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

/** Sees to it that no process outlives the service, even one that was killed by -9. */
export class Guardian {
  readonly #folder: string
  readonly #groups = new Set<number>()
  #shell: ChildProcess | undefined
  #closed = false

  constructor (folder: string) {
    this.#folder = folder
    this.#start() // not first for a process: the folder is there already
  }

  /** A process, and all of its group where it leads one. */
  watch (group: number): void {
    this.#groups.add(group)
    if (this.#shell) this.#tell(`+ ${group}`)
    else this.#start()
  }

  forget (group: number): void {
    if (this.#groups.delete(group)) this.#tell(`- ${group}`)
  }

  /** Its last act is to remove the folder. */
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
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'svc-sandbox-guardian', this.#folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: { PATH: '/usr/bin:/bin' } })
    this.#shell = shell
    shell.on('error', () => { this.#shell = undefined })
    shell.stdin.on('error', () => { this.#shell = undefined }) // it was killed: its successor is told of all
    shell.once('exit', (_code, signal) => {
      if (this.#shell === shell) this.#shell = undefined
      if (signal !== null && this.#groups.size > 0) this.#start()
    })
    shell.unref()
    for (const group of this.#groups) this.#tell(`+ ${group}`)
  }

  #tell (line: string): void {
    this.#shell?.stdin?.write(`${line}\n`)
  }
}
