#!/usr/bin/env node
// The way in: sets up what is missing, then hands over to the command line.
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp())
await import('../dist/scripts/svc.js')
