import {
  type CallToolResult, type Tool as Listed, McpServer, type McpServerFactory, ProtocolError, ProtocolErrorCode, createMcpHandler
} from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Readable, Writable } from 'node:stream'
import type { FastifyBaseLogger } from 'fastify'
import { InternalError, ServiceError, describe, quote } from '../../schemas/errors.js'
import { SERVICE } from '../../schemas/health.js'
import type { Reader } from '../runs.js'
import { argumentsOf } from './arguments.js'
import { type Notify, Progress } from './progress.js'
import { type Tool, textResult } from './tool.js'

const INSTRUCTIONS = 'check_code, test_code and run_code check and run Python and TypeScript in a sandbox: write code yourself and '
  + 'let them tell what is wrong with it. Each other tool is an agent that does a whole task and answers with text.'

// The same interval as in the service's own event streams (milliseconds).
const KEEP_ALIVE = 10_000

// Of a message on standard input, in bytes. Over HTTP, --body-limit sets it.
const MOST_LINE = 16 * 1024 * 1024

type Context = Parameters<Parameters<McpServer['server']['setRequestHandler']>[2]>[1]

export interface McpServing {
  /** Answers one request to `/mcp`, whose body has been parsed. `connection` reports when the client has gone. */
  serve (request: Request, body: unknown, connection: Reader): Promise<Response>
  /** Serves one client over a pipe until the input ends. */
  pipe (input: Readable, output: Writable): void
}

/** Serves the tools over the protocol. Only this file loads its SDK. */
export function mcpServing (tools: readonly Tool[], { version, log }: { version: string, log: FastifyBaseLogger }): McpServing {
  const connections = new WeakMap<Request, Reader>()
  const byName = new Map(tools.map(tool => [tool.listed.name, tool]))
  const listed = tools.map(({ listed, input }) => ({ ...listed, inputSchema: JSON.parse(JSON.stringify(input)) as Listed['inputSchema'] }))
  const onerror = (error: Error) => log.debug({ err: error }, 'a message of MCP was refused')

  // The SDK wants a new server for each request and for each pipe.
  const factory: McpServerFactory = ({ requestInfo }) => {
    const mcp = new McpServer({ name: SERVICE, version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
    mcp.server.setRequestHandler('tools/list', () => ({ tools: listed }))
    mcp.server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, context) => {
      const tool = byName.get(name)
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(name, [...byName.keys()]))
      return await callTool(tool, given, { context, connection: requestInfo && connections.get(requestInfo), log })
    })
    return mcp
  }

  // Every reply is a stream, because most clients give up if no byte comes within their own time limits.
  const handler = createMcpHandler(factory, { responseMode: 'sse', keepAliveMs: KEEP_ALIVE, onerror })
  return {
    serve (request, body, connection) {
      connections.set(request, connection)
      return handler.fetch(request, { parsedBody: body })
    },
    pipe (input, output) {
      const transport = new StdioServerTransport(input, output, { maxBufferSize: MOST_LINE })
      serveStdio(factory, {
        transport,
        onerror (error) {
          onerror(error)
          if (!/exceeded maximum size/.test(error.message)) return
          log.error(`a message is longer than ${MOST_LINE} bytes, which ends the connection`)
          input.destroy() // the transport has stopped reading
        }
      })
    }
  }
}

interface Circumstances { context: Context, connection: Reader | undefined, log: FastifyBaseLogger }

function unknownTool (name: string, known: readonly string[]): string {
  return `There is no tool "${quote(name)}". The tools are ${known.join(', ')}.`
}

async function callTool (tool: Tool, given: Record<string, unknown> | undefined, circumstances: Circumstances): Promise<CallToolResult> {
  const { context, connection, log } = circumstances
  const { signal } = context.mcpReq
  const progress = new Progress(notifierOf(context))
  try {
    const { known, ignored } = argumentsOf(given, tool.input)
    const result = await tool.call(known, { signal, connection, progress })
    if (ignored.length > 0) result.content.push({ type: 'text', text: ignoredText(ignored, tool) })
    return result
  } catch (error) {
    if (signal.aborted) throw error // the caller has gone: nothing is sent
    return textResult(failureText(error, { tool, context, log }), { isError: true })
  } finally {
    await progress.finish()
  }
}

/** Sends progress to the caller; undefined if it did not ask for any. */
function notifierOf ({ mcpReq }: Context): Notify | undefined {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return undefined
  return async (progress, message) => {
    if (mcpReq.signal.aborted) return
    // If sending fails, the client has gone, and the signal aborts.
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } }).catch(() => undefined)
  }
}

function failureText (error: unknown, { tool, context, log }: Omit<Circumstances, 'connection'> & { tool: Tool }): string {
  if (error instanceof ServiceError) return error.message
  log.error({ err: error, tool: tool.listed.name }, 'a tool failed')
  return new InternalError(String(context.mcpReq.id), describe(error)).message
}

function ignoredText (ignored: readonly string[], { listed: { name }, input }: Tool): string {
  const shown = ignored.slice(0, 20).map(field => quote(field, 50)).join(', ')
  return `These arguments were ignored: ${shown}. ${name} takes ${Object.keys(input.properties).join(', ')}.`
}
