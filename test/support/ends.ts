// What became of the scripted agent's runs, and the gates that they wait at: the very module that the service loads.
export { ends, openGate } from '../fixtures/agents/scripted/agent.mjs'
