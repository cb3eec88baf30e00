import type { RunView } from '../../../plugins/runs/run.js'

/** What both kinds of reply are made of. */
export interface Answer { run: RunView, model: string }
