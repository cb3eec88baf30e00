import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { buildApp } from '../../app.js'

const at = (name: string) => new URL(`../../scripts/bench/${name}.mjs`, import.meta.url).href
const { limitOf } = await import(at('load')) as { limitOf: (shares: Record<string, number>) => { isServers: boolean, words: string } }
const { atLeast, onlyIf } = await import(at('figures')) as {
  atLeast: (text: string, value: number, limit: number) => { met?: boolean }
  onlyIf: (isDecided: boolean, goal: { met?: boolean }) => { met?: boolean }
}
const { chat, bodyOf, dial, exchange } = await import(at('client')) as {
  chat: (model: string, options?: { stream?: boolean }) => Buffer
  bodyOf: (text: string) => string
  dial: (port: number) => Promise<{ destroy: () => void }>
  exchange: (socket: unknown, payload: Buffer) => Promise<{ text: string }>
}

void t.test('the bench says whether the servers or what sends the load were the limit', async t => {
  t.match(limitOf({ svc: 0.99, 'node:http': 0.95 }).words, /^the servers were the limit: of a core they kept svc 99 %, node:http 95 %$/)
  t.match(limitOf({ svc: 0.99, 'node:http': 0.62 }).words, /svc 99 %, node:http 62 %: for node:http the load or another program was the limit/)
})

void t.test('a goal is neither met nor missed where the servers were not the limit', async t => {
  const goal = atLeast('requests', 5.6, 2)
  const verdict = (shares: Record<string, number>) => onlyIf(limitOf(shares).isServers, goal).met
  t.equal(verdict({ svc: 0.99, 'node:http': 0.95 }), true)
  t.equal(verdict({ svc: 0.31, 'node:http': 0.21 }), undefined)
})

void t.test('the service and the bare server of the bench send the same bytes', async t => {
  const app = await buildApp({ agentsDirs: ['scripts/bench/agents'] })
  t.teardown(() => app.close())
  const service = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  const bare = spawn(process.execPath, ['scripts/bench/servers/bare.mjs'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  t.teardown(() => bare.kill())
  const [{ port }] = await once(bare, 'message') as [{ port: number }]
  for (const [model, stream] of [['whole', false], ['counted', false], ['fragments', true], ['turns', true]] as const) {
    const bodies = await Promise.all([service, port].map(async port => {
      const socket = await dial(port)
      const { text } = await exchange(socket, chat(model, { stream }))
      socket.destroy()
      return bodyOf(text)
    }))
    t.equal(bodies[0], bodies[1], model)
  }
})
