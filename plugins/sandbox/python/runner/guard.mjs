// What JavaScript sees of the interpreter, by its own C functions: who changes what tests stand on, at the moment when it is
// changed, and who calls the functions that report. No Python code has a part in it, and nothing that is put back goes unseen.
// `harness/seal.py` says what is watched, `callers.mjs` who acts. No property is read that has a getter somewhere, see `worker.mjs`.
import { DELETED, TYPE_OF_OBJECT, keepCallers } from './callers.mjs'

const GETSET_OF_DESCRIPTOR = 20
const SETTER_OF_GETSET = 8
const INITTAB_ENTRY = 8
const HIDDEN = 1
const WORD_BYTES = 4

// Events of a dictionary.
const ADDED = 0
const CLONED = 3 // of another, which takes the place of the key
const CLEARED = 4
const GONE = 5

// What the names that come with a dictionary are to it, beside 0: only they are shut. All but they are shut; they keep their value; it
// is the table of a test's own; they are shut, but for those that stand as a text anywhere in the tests; they
// are shut, and what was there comes back when tests empty an object and fill it again.
const FREE = 1
const KEPT = 2
const TABLE = 3
const LOOSE = 4
const OWN = 5

// Of a writer: in whatever is watched for the time of a test, or in the tables among that.
const ANYWHERE = 0
const TABLES = 1

/** Watches over the interpreter `module`. `isWhole()` is true for as long as nothing was changed that has to stay as it is. */
export function keepGuard (module, onRaised) {
  const { _PyDict_GetItem: itemOf, _PyDict_Watch: watchDictionary, _PyEval_RestoreThread: attach, _PyEval_SaveThread: detach, _Py_IncRef: hold, _PyDict_Next: nextOf } = module
  const thread = module._PyThreadState_Get() // there is one
  const wordAt = address => module.HEAPU32[address >>> 2]
  const callers = keepCallers(module, thread)
  const watched = { __proto__: null } // dictionary -> what is said of it, as { names, kind }: all of it holds
  let passing = { __proto__: null } // the same, for as long as one test runs
  let objects = { __proto__: null } // whose dictionaries nobody exchanges meanwhile
  let owners = { __proto__: null } // dictionary -> its object: the address of what is gone is soon another's
  let emptied = { __proto__: null } // dictionary -> the keys and values that it had
  const cells = { __proto__: null } // which nobody fills with anything else
  const bells = { __proto__: null } // dictionary -> what its change says: no file that could be exchanged has a part in that
  const rows = [] // dictionary, key, value: what tests may change for a while
  let text = 0 // the type of what names are
  let spoken = 0 // names that the tests speak of, and so may change
  let words = 0 // all that could be names among their texts
  const cursor = module._malloc(3 * WORD_BYTES)
  const core = { __proto__: null } // those of them that report -> the names that count there, or 0: all
  let isWhole = true
  let isCoreWhole = true

  const isDenied = (said, place, event, dictionary, key, value) => {
    for (let at = 0; said !== undefined && at < said.length; at++) if (!isFree(said[at], event, dictionary, key, value)) return !callers.isByWriter(said[at].kind === TABLE ? TABLES : place, event, dictionary, key)
    return false
  }

  const isFree = ({ names, kind }, event, dictionary, key, value) => {
    if (event === CLEARED) return kind === KEPT || (kind === OWN && keepContents(dictionary))
    if (event === CLONED) return (kind === KEPT || kind === OWN) && haveAll(key, (name, one) => isFree({ names, kind }, ADDED, dictionary, name, one))
    if (names === 0 || wordAt(key + TYPE_OF_OBJECT) !== text) return false
    const named = itemOf(names, key)
    if (kind === KEPT ? named === 0 || event === DELETED || named === value : named === 0 ? kind !== FREE : kind === FREE) return true
    if (kind === LOOSE && words !== 0 && itemOf(words, key) !== 0) return true
    if (spoken !== 0 && itemOf(spoken, key) !== 0) return true
    if (kind === OWN && event === ADDED && isBack(dictionary, key, value)) return true
    return event !== ADDED && value !== 0 && itemOf(dictionary, key) === value
  }

  /** Whether that holds of each name in a dictionary and its value; not if one is more than a name. */
  const haveAll = (dictionary, holds) => {
    module.HEAPU32[cursor >>> 2] = 0
    while (nextOf(dictionary, cursor, cursor + WORD_BYTES, cursor + 2 * WORD_BYTES) !== 0) {
      const key = wordAt(cursor + WORD_BYTES)
      if (wordAt(key + TYPE_OF_OBJECT) !== text || !holds(key, wordAt(cursor + 2 * WORD_BYTES))) return false
    }
    return true
  }

  const keepContents = dictionary => {
    const contents = emptied[dictionary] = []
    return haveAll(dictionary, (key, value) => {
      holdAll([key, value])
      contents[contents.length] = key
      contents[contents.length] = value
      return true
    })
  }

  const isBack = (dictionary, key, value) => {
    const contents = emptied[dictionary]
    for (let at = 0; contents !== undefined && at < contents.length; at += 2) if (contents[at] === key && contents[at + 1] === value) return true
    return false
  }

  const forget = dictionary => {
    passing[dictionary] = emptied[dictionary] = undefined
    objects[owners[dictionary]] = undefined
  }

  const watcher = module._PyDict_AddWatcher(module.addFunction((event, dictionary, key, value) => {
    if (bells[dictionary] !== undefined) bells[dictionary]()
    else if (event === GONE) forget(dictionary)
    // Who may write anywhere answers for what is watched meanwhile, not for what is watched for good.
    else if (isDenied(watched[dictionary], dictionary, event, dictionary, key, value) || isDenied(passing[dictionary], ANYWHERE, event, dictionary, key, value)) {
      isWhole = false
      if (core[dictionary] !== undefined && (core[dictionary] === 0 || event > DELETED || itemOf(core[dictionary], key) !== 0)) isCoreWhole = false
    }
    return 0
  }, 'iiiii'))
  if (watcher < 0) throw new Error('dictionaries cannot be watched')

  /** Keeps what the addresses among them say for as long as there is an interpreter: whoever lets go of it makes room for another. */
  const holdAll = addresses => {
    for (let at = 0; at < addresses.length; at++) if (addresses[at] !== 0) hold(addresses[at])
  }

  const attend = dictionary => {
    if (watchDictionary(watcher, dictionary) !== 0) isWhole = false
  }

  const watch = (places, said) => {
    for (let at = 0; at < places.length; at += 3) {
      const names = places[at + 1]
      // Who could change what is said of a place could change the place.
      if (names !== 0 && watched[names] === undefined) {
        hold(names)
        add(watched, names, { names: 0, kind: FREE })
      }
      if (said === watched && watched[places[at]] === undefined) hold(places[at])
      add(said, places[at], { names, kind: places[at + 2] })
    }
  }

  const add = (said, dictionary, more) => {
    const known = said[dictionary] ?? (said[dictionary] = [])
    let at = 0
    while (at < known.length && !(more.kind === KEPT && known[at].kind === KEPT)) at++ // what is kept of a module is another once it is loaded
    known[at] = more
    attend(dictionary)
  }

  /** Has it seen when an attribute of a builtin type is set, on one of those objects. */
  const watchSetter = (descriptor, name, isSealed) => {
    const getset = wordAt(descriptor + GETSET_OF_DESCRIPTOR)
    if (module.UTF8ToString(wordAt(getset)) !== name) throw new Error(`${name} is set elsewhere`)
    const real = module.wasmTable.get(wordAt(getset + SETTER_OF_GETSET))
    module.HEAPU32[(getset + SETTER_OF_GETSET) >>> 2] = module.addFunction((object, value, closure) => {
      if (isSealed(object)) isWhole = false
      return real(object, value, closure)
    }, 'iiii')
  }

  /** Has no module of that name made any more. */
  const hide = names => {
    for (let entry = wordAt(module._PyImport_Inittab); wordAt(entry) !== 0; entry += INITTAB_ENTRY) {
      const name = module.UTF8ToString(wordAt(entry))
      for (let at = 0; at < names.length; at++) if (names[at] === name) module.HEAPU8[wordAt(entry)] = HIDDEN
    }
  }

  return {
    /** What the harness says of itself, before any code of a job is there. */
    begin (told) {
      text = told.text
      watchSetter(told.cell, 'cell_contents', object => cells[object] === true)
      watchSetter(told.dictionary, '__dict__', object => objects[object] === true)
      callers.begin(told)
      const [door, coreDoor, raised] = told.bells
      bells[door] = () => { isWhole = false }
      bells[coreDoor] = () => { isWhole = isCoreWhole = false }
      for (let at = 0; at < told.core.length; at += 2) core[told.core[at]] = told.core[at + 1]
      bells[raised] = onRaised
      holdAll([...told.bells, told.own])
      attend(door)
      attend(coreDoor)
      attend(raised)
      this.learn(told)
    },
    /** The same of a job's files: who may write to what is watched, who calls whom, which names the tests speak of. */
    learn ({ writers: more = [], callers: chains = [], spoken: names = 0, words: texts = 0, hidden = [], ...told }) {
      callers.learn(more, chains, holdAll)
      if (names !== 0) spoken = names
      if (texts !== 0) words = texts
      holdAll([names, texts])
      hide(hidden)
      this.watch(told)
    },
    watch ({ places, rows: more = [], cells: filled = [] }) {
      watch(places, watched)
      for (let at = 0; at < filled.length; at++) cells[filled[at]] = true
      for (let at = 0; at < more.length; at++) rows[rows.length] = more[at]
      holdAll(filled)
      holdAll(more)
    },
    watchForNow ({ places, objects: more }) {
      watch(places, passing)
      // The places of the objects come first, in their order.
      for (let at = 0; at < more.length; at++) {
        objects[more[at]] = true
        owners[places[3 * at]] = more[at]
      }
    },
    forgetPassing () {
      passing = { __proto__: null }
      objects = { __proto__: null }
      owners = { __proto__: null }
      emptied = { __proto__: null }
    },
    /** Does what an order from Python says; what only the harness may say, if it is the harness that says it. */
    heed (order, work) {
      attach(thread) // whoever writes to a device lets go of it
      try {
        if (callers.isRightOrder(order)) work()
        else isWhole = isCoreWhole = false
      } finally {
        detach()
      }
    },
    /** Whether what reports is as it was, whatever became of the rest: calls stand on nothing else. */
    isCoreWhole: () => isCoreWhole,
    isWhole () {
      for (let at = 0; isWhole && at < rows.length; at += 3) if (itemOf(rows[at], rows[at + 1]) !== rows[at + 2]) isWhole = false
      return isWhole
    }
  }
}
