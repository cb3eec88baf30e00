// Who acts in the interpreter: whose code writes to what is watched, and who calls what reports. It looks at the interpreter's
// own stack, at code and globals by their addresses, which those who are known cannot lose: they are held. No property is read
// that has a getter somewhere, see `worker.mjs`.
export const TYPE_OF_OBJECT = 4
const NAMES_OF_CODE = 16
const BYTES_OF_BYTES = 16

/** The event of a dictionary up to which single names change. */
export const DELETED = 2

const NOBODY = 0 // below the way in
const ANYBODY = 2 // as a caller

export function keepCallers (module, thread) {
  const { _PyDict_GetItem: itemOf, _PyFrame_GetCode: codeOf, _PyFrame_GetGlobals: globalsOf, _PyFrame_GetBack: frameBelow, _PyFrame_GetLasti: placeIn } = module
  const { _PyCode_GetCode: bytesOf, _PyTuple_GetItem: nameOf, _PyThreadState_GetFrame: frameOf, _Py_DecRef: release } = module
  const wordAt = address => module.HEAPU32[address >>> 2]
  const writers = { __proto__: null } // code that may change some of it -> { globals, by: the group that calls it, items: whether it stores them, places }
  const callers = { __proto__: null } // code on the way to a report -> { group, globals, by: the groups that may have called it }
  const orders = { __proto__: null } // letter -> the group that gives it
  const stores = { items: { __proto__: null }, extended: 0, star: [0, 0], own: 0, names: { __proto__: null } } // operations of the interpreter
  const tools = { __proto__: null } // what tests are written with: whatever they import it as, no star import puts another in its place
  let text = 0 // the type of what names are

  const look = frame => {
    const code = codeOf(frame)
    const globals = globalsOf(frame)
    release(code)
    release(globals)
    return { code, globals }
  }

  /** Whether it is a plain name, and none that the harness put there. */
  const isOthers = key => wordAt(key + TYPE_OF_OBJECT) === text && itemOf(stores.own, key) === 0

  /** Whether the code itself is storing that name, and not something that it called: what is written in C has no frame. */
  const isStoring = (frame, code, { items }, event, dictionary, key) => {
    const bytes = bytesOf(code)
    const at = bytes + BYTES_OF_BYTES + placeIn(frame)
    const operation = module.HEAPU8[at]
    const argument = module.HEAPU8[at + 1] + (module.HEAPU8[at - 2] === stores.extended ? 256 * module.HEAPU8[at - 1] : 0)
    release(bytes)
    if (operation === stores.star[0] && argument === stores.star[1]) return event < DELETED && isOthers(key) && !tools[itemOf(dictionary, key)] // `from module import *`
    if (stores.items[operation] === true) return items
    return stores.names[operation] === true && nameOf(wordAt(code + NAMES_OF_CODE), argument) === key
  }

  /** Whether an order comes from those whom the harness has give it, down to the way in. */
  const isCalledRightly = order => {
    let frame = frameOf(thread)
    let by = { __proto__: null, [orders[order]]: true }
    while (frame !== 0) {
      const { code, globals } = look(frame)
      const known = callers[code]
      const isKnown = known !== undefined && (known.globals === 0 || known.globals === globals) && by[known.group] === true
      const below = isKnown ? frameBelow(frame) : 0
      release(frame)
      if (!isKnown) return false
      by = known.by
      if (by[ANYBODY] === true) return true
      frame = below
    }
    return by[NOBODY] === true
  }

  return {
    /** Whether it is a writer of that place who changes it. */
    isByWriter (place, event, dictionary, key) {
      const frame = frameOf(thread)
      if (frame === 0) return false // there is no memory to tell
      const { code, globals } = look(frame)
      const writer = writers[code]
      let isRight = writer !== undefined && writer.globals === globals && writer.places[place] === true && event <= DELETED && isStoring(frame, code, writer, event, dictionary, key)
      const below = isRight && writer.by !== undefined ? frameBelow(frame) : 0
      release(frame)
      if (below !== 0) {
        const caller = callers[look(below).code]
        isRight = caller !== undefined && caller.group === writer.by
        release(below)
      }
      return isRight
    },
    /** Whether that order may be given now: by anybody, or by the harness, and it is the harness that gives it. */
    isRightOrder (order) {
      return orders[order] === undefined || isCalledRightly(order)
    },
    begin (told) {
      text = told.text
      for (const operation of told.items) stores.items[operation] = true
      for (const operation of told.stores) stores.names[operation] = true
      stores.extended = told.extended
      stores.star = told.star
      stores.own = told.own
      for (const tool of told.tools) tools[tool] = true
      for (const [letter, code] of told.orders) orders[letter] = code
    },
    /** Writers of places, and chains of callers, all of which `hold` keeps. */
    learn (more, chains, hold) {
      for (const [code, globals, by, items, ...places] of more) {
        const known = writers[code] === undefined ? { globals, by: by === 0 ? undefined : by, items: items === 1, places: { __proto__: null } } : writers[code]
        hold([code, globals])
        for (const place of places) known.places[place] = true
        writers[code] = known
      }
      for (const [group, code, globals, by] of chains) {
        const all = { __proto__: null }
        for (const caller of by) all[caller] = true
        hold([code, globals])
        callers[code] = { group, globals, by: all }
      }
    }
  }
}
