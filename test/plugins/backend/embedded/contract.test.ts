import t from 'tap'
import { EmbeddedBackend } from '../../../../plugins/backend/embedded/embedded-backend.js'
import { BackendMissing } from '../../../../plugins/backend/errors.js'
import { silent } from '../../../support/log.js'
import { ANSWERS, ENDLESS, modelAt, tinyModelFile } from '../../../support/tiny-model.js'
import { keepsTheContract } from '../contract.js'

let shared: EmbeddedBackend | undefined
t.teardown(() => shared?.close())

keepsTheContract('the embedded engine', {
  // One for all of them, as an engine takes seconds to start on a busy machine; the last of the tests closes it.
  open: async () => shared ??= new EmbeddedBackend({ model: modelAt(tinyModelFile()), reason: 'a test', threads: 1, useGpu: false, log: silent }),
  async broken (t) {
    const model = { ...modelAt(''), obtain: () => Promise.reject(new BackendMissing('there is no file', 'give another one')) }
    const backend = new EmbeddedBackend({ model, reason: 'a test', log: silent })
    t.teardown(() => backend.close())
    return backend
  },
  answers: ANSWERS,
  endless: ENDLESS
})
