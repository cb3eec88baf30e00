import type * as NodeLlamaCpp from 'node-llama-cpp'
import type { ChatWrapper, LlamaGrammar, LlamaGrammarEvaluationState, LlamaModel, LlamaText, Token } from 'node-llama-cpp'
import type { Tool } from '../../../../agents/types.js'
import type { ChatOrder } from '../messages.js'
import { ANY_OBJECT, JsonGrammar, UnfitSchema, literal } from './json-grammar.js'

type Library = typeof NodeLlamaCpp

/** A setting of a request that the engine does not support. The message names the setting and the reason. */
export class Unfit extends Error {}

/** How the model's own template writes tool calls, and the grammar that makes the model write them like that. */
export interface CallRules {
  /** The text that begins a call. */
  marker: string
  /** The reply must hold a call. */
  isDue: boolean
  /** The reply may hold more than one call. */
  isParallel: boolean
  names: readonly string[]
  /** The text between the name and the arguments. */
  middle: string
  /** The tokens before the name of the first call, or of a further one. */
  opening: (isFirst: boolean) => Token[]
  /** The tokens after the arguments. */
  closing: () => Token[]
  /** The text that begins a further call. */
  again: string
  /** Allows one of the names, the text in the middle, and arguments that match the schema of that tool. */
  grammar: () => LlamaGrammarEvaluationState
}

/** What a reply must conform to: a grammar for the whole reply, or rules for the calls in it. */
export interface Constraints {
  whole?: LlamaGrammarEvaluationState
  calls?: CallRules
}

/** The tools that are shown to the model: none if the caller wants no call. */
export function offeredTools ({ tools = [], tool_choice: choice }: Pick<ChatOrder, 'tools' | 'tool_choice'>): Tool[] {
  return choice === 'none' ? [] : tools
}

export async function constraintsOf (
  order: ChatOrder, library: Library, model: LlamaModel, wrapper: ChatWrapper
): Promise<Constraints> {
  const tools = offeredTools(order)
  const { response_format: format = { type: 'text' } } = order
  if (format.type !== 'text' && tools.length > 0) {
    throw new Unfit('response_format beside tools is more than the engine of this service can keep: ask for one of them')
  }
  if (format.type !== 'text') return { whole: stateOf(library, model, await made(model, wholeText(format), 'response_format')) }
  if (tools.length === 0) return {}
  return { calls: await callRules(order, tools, library, model, wrapper) }
}

function wholeText (format: Exclude<ChatOrder['response_format'], undefined>): string {
  if (format.type !== 'json_schema') return ANY_OBJECT
  try {
    const grammar = new JsonGrammar({ isStrict: true })
    return grammar.text(grammar.add(format.json_schema.schema, 'response_format.json_schema.schema'))
  } catch (error) {
    if (error instanceof UnfitSchema) throw new Unfit(error.message)
    throw error
  }
}

async function callRules (
  order: ChatOrder, tools: readonly Tool[], library: Library, model: LlamaModel, wrapper: ChatWrapper
): Promise<CallRules> {
  const { tool_choice: choice = 'auto', parallel_tool_calls: isParallel = true } = order
  const { call, parallelism } = wrapper.settings.functions
  const textOf = (text: string | LlamaText) => library.LlamaText(text).toString()
  const tokensOf = (...texts: Array<string | LlamaText>) => library.LlamaText(texts).tokenize(model.tokenizer)
  const section = parallelism?.call.sectionPrefix ?? ''
  const between = parallelism?.call.betweenCalls ?? '\n'
  const middle = textOf(call.paramsPrefix).replace(/\{$/, '') // Gemma's template adds a brace, but the arguments have their own
  const wanted = typeof choice === 'string' ? tools : tools.filter(tool => tool.function.name === choice.function.name)
  const grammar = await made(model, callText(wanted, middle), 'tools')
  return {
    marker: beginning(textOf(section) + textOf(call.prefix)),
    isDue: choice !== 'auto',
    isParallel,
    names: wanted.map(tool => tool.function.name),
    middle,
    opening: isFirst => tokensOf(isFirst ? section : between, call.prefix),
    closing: () => tokensOf(call.suffix),
    again: beginning(textOf(between) + textOf(call.prefix)),
    grammar: () => stateOf(library, model, grammar)
  }
}

function callText (tools: readonly Tool[], middle: string): string {
  const grammar = new JsonGrammar({ isStrict: false })
  const calls = tools.map(({ function: { name, parameters = { type: 'object', additionalProperties: false } } }, i) => {
    if (!/^[\w.:-]+$/.test(name)) {
      throw new Unfit(`tools[${i}].function.name may hold letters, digits and . : _ - only for the engine of this service`)
    }
    return `${literal(name + middle)} ${grammar.add({ type: 'object', ...parameters }, `tools[${i}].function.parameters`)}`
  })
  return grammar.text(calls.join(' | '))
}

async function made (model: LlamaModel, grammar: string, field: string): Promise<LlamaGrammar> {
  try {
    return await model.llama.createGrammar({ grammar })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Unfit(`${field} cannot be made into a grammar for the engine of this service (${reason})`)
  }
}

function stateOf (library: Library, model: LlamaModel, grammar: LlamaGrammar): LlamaGrammarEvaluationState {
  return new library.LlamaGrammarEvaluationState({ model, grammar })
}

// Only the first word or tag of the text: models vary the white space after it, and Mistral's models the brackets.
function beginning (text: string): string {
  return /^(\[[A-Z_]+\]|<[^<>\s]*>|\S+)/.exec(text.trimStart())?.[0] ?? text
}
