import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressArgs } from './flags.js'
import { whoAnswers } from './probe.js'
import { isAlive, killCommand } from './process.js'
import { type ServiceRecord, damagedRecord, findRecord, isCurrent } from './record.js'

/** Stops the service that is recorded for an address, after making sure that the process is really that service. */
export async function stop ({ host, port }: AddressArgs): Promise<number> {
  const record = await findRecord({ host, port })
  if (!record || !isAlive(record.pid)) return await nothingToStop({ host, port })
  const found = await whoAnswers(record)
  if (!isTheOne(record, found)) {
    console.error(`Process ${record.pid} was svc on port ${port} once and is something else now: it is left alone.`)
    return 1
  }
  const who = `svc on port ${port} (pid ${record.pid})`
  const timeout = record.drain + 10
  // The record is read again just before the signal, because a second signal would end the runs immediately.
  const now = await findRecord({ host, port })
  const isStopping = now?.instance === record.instance && now.stopping === true
  if (isStopping) console.log(`${who} is stopping already; its runs may finish. To end them at once: kill ${record.pid}`)
  else if (isCurrent(record)) process.kill(record.pid, 'SIGTERM')
  if (found === 'silence' && !isStopping) {
    const kill = killCommand(record.pid)
    console.log(`${who} does not answer. It was asked to stop all the same, and has ${timeout} s. To end it at once: ${kill}`)
  }
  const end = Date.now() + timeout * 1000
  while (isAlive(record.pid)) {
    if (Date.now() > end) {
      console.error(`${who} was asked to stop and is still there. End it: ${killCommand(record.pid)}`)
      return 1
    }
    await sleep(25)
  }
  console.log(`${who} has stopped.`)
  return 0
}

async function nothingToStop ({ host, port }: AddressArgs): Promise<number> {
  const found = await whoAnswers({ scheme: 'http', host, port })
  const damaged = damagedRecord({ host, port })
  if (damaged !== undefined) console.error(`${damaged} is no record of a service: it is ignored. Remove it.`)
  console.error(found === 'nobody'
    ? `svc is not running on ${host}, port ${port}.`
    : `What answers on ${host}, port ${port} was not started by this user as svc: it is left alone.`)
  return 1
}

/**
 * Whether the process is the recorded service. It is recognised by its start time, even if it hangs. If the system does not report
 * start times, the instance id in its answer must match (which alone would prove little, since another program could repeat it).
 */
function isTheOne (record: ServiceRecord, found: Awaited<ReturnType<typeof whoAnswers>>): boolean {
  return isCurrent(record) && (record.born !== null || (typeof found === 'object' && found.instance === record.instance))
}
