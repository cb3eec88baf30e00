// How the scripted agent's runs ended, and the gates that they wait for. This exports the same module instance that the service loads.
export { ends, openGate } from '../fixtures/agents/scripted/agent.mjs'
