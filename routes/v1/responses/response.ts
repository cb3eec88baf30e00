import type { AgentRequest } from '../../../agents/types.js'
import type { RunView } from '../../../plugins/runs/run.js'
import type { Usage } from '../../../schemas/chat.js'
import type { ServiceError } from '../../../schemas/errors.js'
import type { ResponseObject } from '../../../schemas/responses/reply.js'
import type { ResponsesRequest } from '../../../schemas/responses/request.js'
import { type Item, toOutputItem } from './output.js'

/** The fields of a response that repeat its request. They hold nothing of `input`, because a stream may stay open for an hour. */
export type Echo = Omit<ResponseObject, 'id' | 'object' | 'created_at' | 'status' | 'error' | 'incomplete_details' | 'output' | 'usage'>

/** Reads what it needs of the body now, because the body is released when the run starts. */
export function echoOf ({ instructions, metadata, model, reasoning, user }: ResponsesRequest): (request: AgentRequest) => Echo {
  const { summary = null } = reasoning ?? {}
  const fromBody = { instructions: instructions ?? null, metadata: metadata ?? {}, model, ...(typeof user === 'string' && { user }) }
  return request => {
    const { tool_choice: choice = 'auto', response_format: format = { type: 'text' } } = request
    return {
      ...fromBody,
      background: false,
      max_output_tokens: request.max_tokens ?? null,
      parallel_tool_calls: request.parallel_tool_calls ?? true,
      previous_response_id: null,
      reasoning: { effort: request.reasoning_effort ?? null, summary: typeof summary === 'string' ? summary : null },
      store: false,
      temperature: request.temperature,
      text: { format: format.type === 'json_schema' ? { type: format.type, ...format.json_schema } : format },
      tool_choice: typeof choice === 'string' ? choice : { type: choice.type, name: choice.function.name },
      tools: (request.tools ?? []).map(({ type, function: made }) => ({ type, strict: null, parameters: null, ...made })),
      top_p: request.top_p,
      truncation: 'disabled'
    }
  }
}

/** The run's id without its prefix and hyphens, for the ids of a response and its items. */
export const keyOf = (run: RunView) => run.id.replace('chatcmpl-', '').replaceAll('-', '')

export type Ending = { usage: Usage } | { error: ServiceError }

interface Parts { run: RunView, echo: Echo, items?: readonly Item[] }

/** The response object: in progress, or with an ending. */
export function responseOf ({ run, echo, items = [] }: Parts, ending?: Ending): ResponseObject {
  const isCut = ending !== undefined && 'usage' in ending && run.finish === 'length'
  return {
    id: `resp_${keyOf(run)}`,
    object: 'response',
    created_at: run.created,
    status: ending === undefined ? 'in_progress' : 'error' in ending ? 'failed' : isCut ? 'incomplete' : 'completed',
    ...echo,
    error: ending && 'error' in ending ? errorOf(ending.error) : null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: items.map(item => toOutputItem(item)),
    usage: ending && 'usage' in ending ? usageOf(ending.usage) : null
  }
}

// The Responses API has few error codes for a response that has begun. Codex acts on context_length_exceeded.
function errorOf ({ code, message }: ServiceError): { code: string, message: string } {
  return { code: code === 'context_length_exceeded' ? code : 'server_error', message }
}

function usageOf (usage: Usage): ResponseObject['usage'] {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total, completion_tokens_details: details } = usage
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: details?.reasoning_tokens ?? 0 },
    total_tokens: total
  }
}
