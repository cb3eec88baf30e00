import type { ProgressEvent } from '../../agents/types.js'

/** Progress as one line of text: clients join the pieces of progress, so each one needs its line break. */
export function progressEvent (text: string): ProgressEvent {
  return { type: 'progress', text: `${text}\n` }
}
