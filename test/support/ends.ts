// What became of the scripted agent's runs: the very module that the service loads.
export { ends } from '../fixtures/agents/scripted/agent.mjs'
