import type { ProgressEvent } from '../../agents/types.js'

/** A line of its own: front-ends put the pieces of progress after each other. */
export function told (text: string): ProgressEvent {
  return { type: 'progress', text: `${text}\n` }
}
