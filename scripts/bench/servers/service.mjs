// The service. Its argument is a backend's URL.
import { fileURLToPath } from 'node:url'
import { buildApp } from '../../../dist/app.js'
import { listens } from './probe.mjs'

const [backendUrl] = process.argv.slice(2)
const app = await buildApp({
  logger: { level: 'info' },
  agentsDirs: [fileURLToPath(new URL('../agents', import.meta.url))],
  ...(backendUrl && { backendUrl })
})
await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
listens(app.server.address().port)
