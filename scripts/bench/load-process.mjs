// One of the processes that send the load if wrk is not installed.
import { load } from './client.mjs'

process.once('message', async ({ port, payload, connections, ms }) => {
  process.send(await load(port, Buffer.from(payload), { connections, ms }))
})
