import { existsSync } from 'node:fs'
import { ROOT } from '../app.js'
import { commandOf } from './svc/command.js'
import { blaming } from './svc/flags.js'
import { leaveThread } from './svc/folders.js'

// npm runs a script in the project's folder, but paths in the arguments are relative to the folder where the command was typed.
const { INIT_CWD: typedIn } = process.env
if (typedIn !== undefined && existsSync(typedIn) && process.cwd() === ROOT) process.chdir(typedIn)

try {
  const run = await commandOf(process.argv.slice(2))
  const code = await run()
  if (code !== undefined) {
    process.exitCode = code
    setTimeout(() => process.exit(), 500).unref() // ends the command even if an agent has left something running
  }
} catch (error) {
  console.error(error instanceof Error ? blaming(error.message) : String(error))
  leaveThread(error)
  process.exit(1)
}
