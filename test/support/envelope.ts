import type { Test } from 'tap'

export interface Problem { message: string, type: string, code: string }

// Traces of the machine that no caller may see: stack lines, and absolute paths of this checkout or of Node.
const TRACES = [/^[ \t]+at [^\n:]*:\d+/m, /node_modules/, /node:internal/, /file:\/\//, process.cwd()]

/** Checks that a response is the error envelope to the letter, and gives what it says. */
export async function refusal (t: Test, response: Response, status: number, code: string, type = 'invalid_request_error'): Promise<Problem> {
  const text = await response.text()
  t.equal(response.status, status, `the status of ${text.slice(0, 200)}`)
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.ok(response.headers.get('x-request-id'), 'it has a request id')
  const problem = problemOf(text)
  t.equal(problem.code, code, problem.message)
  t.equal(problem.type, type)
  return problem
}

/** What an error body says; throws where it is anything but the envelope. */
export function problemOf (text: string): Problem {
  const body: unknown = JSON.parse(text)
  const error = only(body, ['error']).error
  const problem = only(error, ['code', 'message', 'type'])
  for (const [name, value] of Object.entries(problem)) {
    if (typeof value !== 'string' || value === '') throw new Error(`${name} is no text: ${text}`)
  }
  for (const trace of TRACES) {
    if (typeof trace === 'string' ? text.includes(trace) : trace.test(String(problem.message))) throw new Error(`it shows ${String(trace)}: ${text}`)
  }
  return problem as unknown as Problem
}

function only (value: unknown, keys: string[]): Record<string, unknown> {
  const found = typeof value === 'object' && value !== null ? Object.keys(value).sort().join() : typeof value
  if (found !== keys.join()) throw new Error(`expected exactly ${keys.join()} in ${JSON.stringify(value)}`)
  return value as Record<string, unknown>
}
