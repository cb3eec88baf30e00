// How the scripted agent's runs ended. This exports the same module instance that the service loads.
export { ends } from '../fixtures/agents/scripted/agent.mjs'
