import type { RunView } from '../../../plugins/runs/run.js'

/** What the JSON reply and the stream have in common. */
export interface Answer { run: RunView, model: string }
