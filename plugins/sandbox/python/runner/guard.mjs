// What JavaScript sees of the interpreter, by its own C functions: who changes what tests stand on, at the moment when it is
// changed, and who calls the functions that report. No Python code has a part in it, and nothing that is put back goes unseen.
// `harness/seal.py` says what is watched. No property is read that has a getter somewhere, see `worker.mjs`.
const GETSET_OF_DESCRIPTOR = 20
const SETTER_OF_GETSET = 8
const TYPE_OF_OBJECT = 4

// Events of a dictionary.
const ADDED = 0
const DELETED = 2
const GONE = 5

// What the names that come with a dictionary are to it: only they are shut, all but they are shut, they keep their value.
const SHUT = 0
const FREE = 1
const KEPT = 2

/** Watches over the interpreter `module`. `isWhole()` is true for as long as nothing was changed that has to stay as it is. */
export function keepGuard (module) {
  const { _PyDict_GetItem: itemOf, _PyDict_Watch: watchDictionary, _PyFrame_GetCode: codeOf, _PyFrame_GetGlobals: globalsOf, _PyFrame_GetBack: frameBelow } = module
  const { _PyThreadState_GetFrame: frameOf, _PyEval_RestoreThread: attach, _PyEval_SaveThread: detach, _Py_DecRef: release } = module
  const thread = module._PyThreadState_Get() // there is one
  const wordAt = address => module.HEAPU32[address >>> 2]
  const watched = { __proto__: null } // dictionary -> what is said of it, as [names, kind]: all of it holds
  let passing = { __proto__: null } // the same, for as long as one test runs
  const writers = { __proto__: null } // code that may change them -> its globals
  const callers = { __proto__: null } // code on the way to a report -> { globals, by: the codes that may have called it }
  const orders = { __proto__: null } // letter -> the code that gives it
  let rows = [] // dictionary, key, value: what tests may change for a while
  let text = 0 // the type of what names are
  let spoken = 0 // names that the tests speak of, and so may change
  let isWhole = true

  const codeAndGlobals = frame => {
    const code = codeOf(frame)
    const globals = globalsOf(frame)
    release(code)
    release(globals)
    return [code, globals]
  }

  const isByWriter = () => {
    const frame = frameOf(thread)
    if (frame === 0) return false // there is no memory to tell
    const [code, globals] = codeAndGlobals(frame)
    release(frame)
    return writers[code] === globals
  }

  /** Whether an order comes from those whom the harness has give it, down to the way in. */
  const isCalledRightly = order => {
    let frame = frameOf(thread)
    let by = { __proto__: null, [orders[order]]: true }
    while (frame !== 0) {
      const [code, globals] = codeAndGlobals(frame)
      const known = callers[code]
      const isKnown = known !== undefined && (known.globals === 0 || known.globals === globals) && by[known.group] === true
      const below = isKnown ? frameBelow(frame) : 0
      release(frame)
      if (!isKnown) return false
      by = known.by
      frame = below
    }
    return by[0] === true
  }

  const mayChange = (said, event, dictionary, key, value) => {
    for (let at = 0; said !== undefined && at < said.length; at++) if (!isFree(said[at], event, dictionary, key, value)) return false
    return true
  }

  const isFree = ([names, kind], event, dictionary, key, value) => {
    if (event > DELETED || names === 0 || wordAt(key + TYPE_OF_OBJECT) !== text) return kind === KEPT
    const named = itemOf(names, key)
    if (kind === KEPT) return named === 0 || event === DELETED || named === value
    if (named === 0 ? kind === SHUT : kind === FREE) return true
    if (spoken !== 0 && itemOf(spoken, key) !== 0) return true
    return event !== ADDED && value !== 0 && itemOf(dictionary, key) === value
  }

  const watcher = module._PyDict_AddWatcher(module.addFunction((event, dictionary, key, value) => {
    const lasting = watched[dictionary]
    const now = passing[dictionary]
    if (event === GONE) watched[dictionary] = passing[dictionary] = undefined
    else if (!(mayChange(lasting, event, dictionary, key, value) && mayChange(now, event, dictionary, key, value)) && !isByWriter()) isWhole = false
    return 0
  }, 'iiiii'))
  if (watcher < 0) throw new Error('dictionaries cannot be watched')

  const watch = (places, said) => {
    for (let at = 0; at < places.length; at += 3) {
      const names = places[at + 1]
      // Who could change what is said of a place could change the place.
      if (names !== 0 && watched[names] === undefined) add(watched, names, [0, FREE])
      add(said, places[at], [names, places[at + 2]])
    }
  }

  const add = (said, dictionary, more) => {
    const known = said[dictionary]
    if (known === undefined) said[dictionary] = [more]
    else known[known.length] = more
    if (watchDictionary(watcher, dictionary) !== 0) isWhole = false
  }

  return {
    /** What the harness says of itself, before any code of a job is there. */
    begin (told) {
      text = told.text
      const descriptor = wordAt(told.cell + GETSET_OF_DESCRIPTOR)
      if (module.UTF8ToString(wordAt(descriptor)) !== 'cell_contents') throw new Error('a cell keeps its setter elsewhere')
      module.HEAPU32[(descriptor + SETTER_OF_GETSET) >>> 2] = 0
      for (const [letter, code] of told.orders) orders[letter] = code
      this.learn(told)
    },
    /** The same of a job's files: who may write to what is watched, who calls whom, which names the tests speak of. */
    learn ({ writers: codes = [], callers: chains = [], spoken: names = 0, ...more }) {
      for (let at = 0; at < codes.length; at += 2) writers[codes[at]] = codes[at + 1]
      for (const [group, code, globals, by] of chains) {
        const all = { __proto__: null }
        for (const caller of by) all[caller] = true
        callers[code] = { group, globals, by: all }
      }
      if (names !== 0) spoken = names
      this.watch(more)
    },
    /** To be told of more does no harm, whoever tells it. */
    watch ({ places, rows: more = [] }) {
      watch(places, watched)
      for (let at = 0; at < more.length; at++) rows[rows.length] = more[at]
    },
    watchForNow (places) {
      watch(places, passing)
    },
    forgetPassing () {
      passing = { __proto__: null }
    },
    /** Does what an order from Python says; what only the harness may say, if it is the harness that says it. */
    heed (order, work) {
      attach(thread) // whoever writes to a device lets go of it
      try {
        if (orders[order] === undefined || isCalledRightly(order)) work()
        else isWhole = false
      } finally {
        detach()
      }
    },
    isWhole () {
      for (let at = 0; isWhole && at < rows.length; at += 3) if (itemOf(rows[at], rows[at + 1]) !== rows[at + 2]) isWhole = false
      return isWhole
    }
  }
}
