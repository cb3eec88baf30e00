import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { type Shape, NotData, shapesOf } from './shapes.js'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** An exported function that is given text, and what else it is called with: one list of arguments for each way to call it. */
export interface TextFunction {
  /** `schemas/paths.ts:withoutPaths` */
  id: string
  file: string
  /** The exported name, and the members that lead from there to the function. */
  path: string[]
  /** None where the types alone don't tell how it is called: an adapter must. */
  calls: Shape[][]
  /** Why there are none. */
  lack: string | undefined
}

const FOLDERS = /^(?:agents|plugins|routes|schemas|scripts)\//
const IN_WORKERS = /^plugins\/sandbox\/(?:python|typescript)\/runner\// // runs inside a worker, which has a deadline of its own
const DEPTH = 3 // members of members: a table of languages that holds functions, say

/**
 * Every exported function whose first parameter is text, read from the types: a string, or data that holds strings.
 * Types of packages are left unknown. To resolve them takes three times as long, and none of them stands for text.
 */
export function textFunctions (): TextFunction[] {
  const { config } = ts.readConfigFile(`${ROOT}/tsconfig.json`, path => ts.sys.readFile(path)) as { config: unknown }
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const files = fileNames.filter(file => FOLDERS.test(nameOf(file)) && !IN_WORKERS.test(nameOf(file)))
  const program = ts.createProgram(files, { ...options, noResolve: true, types: [] })
  const checker = program.getTypeChecker()
  return program.getSourceFiles().filter(({ fileName }) => FOLDERS.test(nameOf(fileName))).flatMap(source => {
    const module = checker.getSymbolAtLocation(source)
    return module === undefined ? [] : checker.getExportsOfModule(module).flatMap(symbol => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      // What is passed on is met where it is declared.
      if (!(target.flags & ts.SymbolFlags.Value) || !isDeclaredIn(target, source)) return []
      return functionsIn(checker.getTypeOfSymbol(target), [symbol.name])
    })

    function functionsIn (type: ts.Type, path: string[]): TextFunction[] {
      const own = type.getCallSignatures().slice(0, 1).flatMap(signature => read(signature, path))
      if (path.length >= DEPTH || !(type.flags & ts.TypeFlags.Object)) return own
      const isOwn = ({ parent }: ts.Declaration) => isObjectOrClass(parent) && parent.getSourceFile() === source
      const members = type.getProperties().filter(({ declarations }) => declarations?.some(isOwn))
      return [...own, ...members.flatMap(member => functionsIn(checker.getTypeOfSymbol(member), [...path, member.name]))]
    }

    function read (signature: ts.Signature, path: string[]): TextFunction[] {
      const [first, ...others] = signature.getParameters()
      if (first === undefined) return []
      const found = { id: `${nameOf(source.fileName)}:${path.join('.')}`, file: nameOf(source.fileName), path }
      const isText = holdsString(checker.getTypeOfSymbol(first))
      // What is asynchronous and takes more than a string speaks to files, processes or models.
      if (!isText && isAsynchronous(signature)) return []
      try {
        const calls = shapesOf(program, [first, ...others.filter(isRequired)].map(parameter => checker.getTypeOfSymbol(parameter)))
        return calls.some(call => JSON.stringify(call[0]).includes('"text"')) ? [{ ...found, calls, lack: undefined }] : []
      } catch (error) {
        if (!(error instanceof NotData)) throw error
        return isText ? [{ ...found, calls: [], lack: error.message }] : []
      }
    }
  })
}

function nameOf (file: string): string {
  return relative(ROOT, file).replaceAll(sep, '/')
}

function isDeclaredIn (symbol: ts.Symbol, source: ts.SourceFile): boolean {
  return symbol.declarations?.some(declaration => declaration.getSourceFile() === source) ?? false
}

function isObjectOrClass (node: ts.Node): boolean {
  return ts.isObjectLiteralExpression(node) || ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)
    || ts.isTypeLiteralNode(node) || ts.isMappedTypeNode(node)
}

function holdsString (type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral))
}

function isAsynchronous (signature: ts.Signature): boolean {
  return /^(?:Promise|Async)/.test(signature.getReturnType().symbol?.name ?? '')
}

function isRequired ({ valueDeclaration: declaration }: ts.Symbol): boolean {
  if (declaration === undefined || !ts.isParameter(declaration)) return true
  return (declaration.questionToken ?? declaration.initializer ?? declaration.dotDotDotToken) === undefined
}
