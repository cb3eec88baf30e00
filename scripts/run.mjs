#!/usr/bin/env node
// The entry point of the npm scripts: installs and builds what is missing, then runs the command line.
import { orExplain, setUp } from './setup.mjs'

await orExplain(() => setUp())
await import('../dist/scripts/svc.js')
