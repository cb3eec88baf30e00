import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressArgs } from './flags.js'
import { whoAnswers } from './probe.js'
import { type ServiceRecord, birthOf, findRecord, isAlive } from './record.js'

/** Ends the service that was recorded for an address, after making sure that it is the one. */
export async function stop ({ host, port }: AddressArgs): Promise<number> {
  const record = await findRecord({ host, port })
  if (!record || !isAlive(record.pid)) {
    const found = await whoAnswers({ scheme: 'http', host, port })
    console.error(found === 'nobody'
      ? `svc is not running on ${host}, port ${port}.`
      : `What answers on ${host}, port ${port} was not started by this user as svc: it is left alone.`)
    return 1
  }
  if (!(await isTheOne(record))) {
    console.error(`Process ${record.pid} was svc on port ${port} once and is something else now: it is left alone.`)
    return 1
  }
  // Asked once more just before, since a second signal would end its runs at once.
  const now = await findRecord({ host, port })
  if (now?.instance === record.instance && now.stopping) console.log(`svc on port ${port} (pid ${record.pid}) is stopping already; its runs may finish. To end them at once: kill ${record.pid}`)
  else if (isAlive(record.pid)) process.kill(record.pid, 'SIGTERM')
  const patience = Date.now() + (record.drain + 10) * 1000
  while (isAlive(record.pid)) {
    if (Date.now() > patience) {
      console.error(`svc on port ${port} (pid ${record.pid}) was asked to stop and is still there. End it: kill -9 ${record.pid}`)
      return 1
    }
    await sleep(25)
  }
  console.log(`svc on port ${port} (pid ${record.pid}) has stopped.`)
  return 0
}

// It says so itself; one that hangs is known by its birth.
async function isTheOne (record: ServiceRecord): Promise<boolean> {
  const found = await whoAnswers(record)
  if (typeof found === 'object') return found.instance === record.instance
  return record.born !== null && birthOf(record.pid) === record.born
}
