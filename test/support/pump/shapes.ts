import ts from 'typescript'
import { STAND_INS, type StandIn } from './stand-ins.js'

/** A value as data that can be sent to another process; `text` stands for the text that is pumped. */
export type Shape =
  | { type: 'text' | 'undefined' | 'function' }
  | { type: 'stand-in', name: StandIn }
  | { type: 'value', value: string | number | boolean | null }
  | { type: 'list', items: Shape[] }
  | { type: 'record', entries: Entry[] }

type Entry = [name: string, shape: Shape]

/** A type whose values are more than data: a function, a class, something of a package. */
export class NotData extends Error {}

const MOST = 8
const DEEPEST = 5
// What a table of files is filled with: tools look at some names only.
const FILES = ['main.py', 'main.ts', 'main.test.ts', 'package.json', 'tsconfig.json']
// What can be any string.
const STRINGS = ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral | ts.TypeFlags.Unknown
const WORD = 'f' // any other string: a name, a path

function isStandIn (name: string): name is StandIn {
  return name in STAND_INS
}

/** Arguments of these types, the first one made of text. Where a type leaves a choice, such as a language, there is one list for each. */
export function shapesOf (program: ts.Program, types: readonly ts.Type[]): Shape[][] {
  const found: Shape[][] = []
  let choices: { taken: number, of: number }[] = []
  do {
    let at = 0
    const choose = <T>(options: readonly T[]): T | undefined => {
      const choice = choices[at] ??= { taken: 0, of: options.length }
      at++
      return options[choice.taken]
    }
    found.push(types.map((type, index) => new Shaper(program, choose, index === 0).shape(type, 0)))
    choices = next(choices)
  } while (choices.length > 0 && found.length < MOST)
  return found
}

/** Counts up, the last choice first; none are left at the end. */
function next (choices: { taken: number, of: number }[]): { taken: number, of: number }[] {
  const last = choices.findLastIndex(({ taken, of }) => taken + 1 < of)
  return choices.slice(0, last + 1).map(({ taken, of }, index) => ({ taken: index === last ? taken + 1 : taken, of }))
}

class Shaper {
  readonly #program: ts.Program
  readonly #checker: ts.TypeChecker
  readonly #choose: <T>(options: readonly T[]) => T | undefined
  readonly #isText: boolean

  constructor (program: ts.Program, choose: <T>(options: readonly T[]) => T | undefined, isText: boolean) {
    this.#program = program
    this.#checker = program.getTypeChecker()
    this.#choose = choose
    this.#isText = isText
  }

  shape (type: ts.Type, depth: number): Shape {
    const { flags } = type
    const name = this.#nameOf(type)
    if (!this.#isText && isStandIn(name)) return { type: 'stand-in', name }
    if (flags & ts.TypeFlags.Any || depth > DEEPEST) throw new NotData(name)
    if (flags & ts.TypeFlags.TypeParameter) return this.shape(type.getConstraint() ?? type, depth + 1)
    if (flags & STRINGS) return this.#isText ? { type: 'text' } : { type: 'value', value: WORD }
    if (flags & ts.TypeFlags.Number) return { type: 'value', value: 1 }
    if (type.isStringLiteral() || type.isNumberLiteral()) return { type: 'value', value: type.value }
    if (flags & ts.TypeFlags.BooleanLiteral) return { type: 'value', value: name === 'true' }
    if (flags & ts.TypeFlags.Null) return { type: 'value', value: null }
    if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) return { type: 'undefined' }
    if (type.isUnion()) return this.#union(type, depth)
    if (!(flags & ts.TypeFlags.Object || type.isIntersection())) throw new NotData(name)
    return this.#object(type, depth)
  }

  #union (type: ts.UnionType, depth: number): Shape {
    const full = type.types.filter(({ flags }) => !(flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)))
    const strings = this.#isText ? full.filter(({ flags }) => flags & ts.TypeFlags.String) : []
    return this.shape(this.#choose(strings.length > 0 ? strings : full) ?? type, depth + 1)
  }

  #object (type: ts.Type, depth: number): Shape {
    if (this.#checker.isArrayType(type) || this.#checker.isTupleType(type)) {
      const [item] = this.#checker.getTypeArguments(type as ts.TypeReference)
      return { type: 'list', items: item === undefined || !this.#isText ? [] : [this.shape(item, depth + 1)] }
    }
    if (!this.#isText && type.getCallSignatures().length > 0) return { type: 'function' }
    if (this.#hasBehaviour(type)) throw new NotData(this.#nameOf(type))
    const values = type.getStringIndexType()
    if (values !== undefined) {
      return { type: 'record', entries: this.#isText ? FILES.map(file => [file, this.shape(values, depth + 1)]) : [] }
    }
    const isOptional = ({ flags }: ts.Symbol) => (flags & ts.SymbolFlags.Optional) !== 0
    const properties = type.getProperties()
    const entryOf = (property: ts.Symbol): Entry => [property.name, this.shape(this.#checker.getTypeOfSymbol(property), depth + 1)]
    const isFull = !properties.some(isOptional) || this.#choose([false, true])
    return {
      type: 'record',
      entries: properties.filter(property => isFull || !isOptional(property))
        .flatMap(property => isOptional(property) ? this.#ifData(() => entryOf(property)) : [entryOf(property)])
    }
  }

  #ifData (make: () => Entry): Entry[] {
    try {
      return [make()]
    } catch (error) {
      if (error instanceof NotData) return []
      throw error
    }
  }

  #hasBehaviour (type: ts.Type): boolean {
    if (type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) return true
    const declarations = type.symbol?.declarations ?? []
    return declarations.some(declaration => ts.isClassDeclaration(declaration)
      || (ts.isInterfaceDeclaration(declaration) && this.#program.isSourceFileDefaultLibrary(declaration.getSourceFile())))
  }

  #nameOf (type: ts.Type): string {
    return this.#checker.typeToString(type)
  }
}
