// A part of the load, where there is no wrk.
import { load } from './client.mjs'

process.once('message', async ({ port, payload, connections, ms }) => {
  process.send(await load(port, Buffer.from(payload), { connections, ms }))
})
