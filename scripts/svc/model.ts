import { FetchedModel } from '../../plugins/backend/models/fetched-model.js'
import { chosen } from '../../plugins/backend/models/embedded.js'
import { parseHubName } from '../../plugins/backend/models/hub.js'
import { amount } from '../../plugins/backend/models/pace.js'
import { isWhole, kept, placeOf, remove } from '../../plugins/backend/models/store.js'
import { type Listed, MODELS } from '../../plugins/backend/models/table.js'
import { printLine, showBar } from './bar.js'
import { type ModelsArgs, UsageError } from './flags.js'
import { checkModels } from './folders.js'

type Named = ModelsArgs & { name: string }

export async function listModels ({ 'models-dir': folder }: ModelsArgs): Promise<number> {
  await checkModels(folder)
  const here = await kept(folder)
  const isHere = ({ repo, file }: Listed) => here.some(model => model.repo === repo && model.file === file && model.isWhole)
  const width = Math.max(...MODELS.map(({ name }) => name.length))
  for (const model of MODELS) {
    const { name, size, license, memory, about } = model
    const facts = `${amount(size).padStart(6)}  ${license}  for ${amount(memory)} of memory: ${about}`
    console.log(`${isHere(model) ? '*' : ' '} ${name.padEnd(width)}  ${facts}`)
  }
  console.log(`  ${'demo'.padEnd(width)}  only recites a handful of tasks, to see how the service works without a download`)
  const others = here.filter(({ repo, file, isWhole }) => !isWhole || !MODELS.some(model => model.repo === repo && model.file === file))
  for (const { repo, file, size, isWhole } of others) {
    console.log(`${isWhole ? '*' : ' '} hf:${repo}/${file}  ${amount(size)}${isWhole ? '' : ' so far'}`)
  }
  console.log(`\n* is here, in ${folder}. Start with one of them: npm start -- --model NAME`)
  return 0
}

export async function pullModel ({ name, 'models-dir': folder }: Named): Promise<number> {
  const known = wanted(name)
  await checkModels(folder)
  const isHere = known.file !== undefined && isWhole(placeOf(folder, known.repo, known.file))
  if (!isHere) await checkModels(folder, { downloads: true })
  const stop = new AbortController()
  const onSignal = () => stop.abort(new UsageError('Stopped. The same command goes on from there.'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal)
  const silent = { debug () {}, info () {}, warn () {}, error () {} }
  const model = new FetchedModel(known, { folder, pull: true, onPace: process.stderr.isTTY ? showBar : printLine, log: silent })
  const path = await model.obtain(() => {}, stop.signal)
  console.log(`${model.name} is here: ${path}`)
  return 0
}

export async function removeModel ({ name, 'models-dir': folder }: Named): Promise<number> {
  await checkModels(folder)
  const { repo, file, quant } = { quant: undefined, ...wanted(name) }
  const isMeant = (name: string) => file === undefined ? name.toLowerCase().includes(String(quant).toLowerCase()) : name === file
  const found = (await kept(folder)).filter(model => model.repo === repo && isMeant(model.file))
  if (found.length === 0) {
    console.error(`${name} is not here.`)
    return 1
  }
  for (const { path, size } of found) {
    await remove(path)
    console.log(`${path} is removed (${amount(size)}).`)
  }
  return 0
}

export async function whichModel ({ 'models-dir': folder }: ModelsArgs): Promise<number> {
  await checkModels(folder)
  const { name, repo, file, size, license } = chosen(folder)
  const path = placeOf(folder, repo, file)
  const missing = `${name} (${amount(size)}, ${license}) suits this machine, and is not here. Download it: npm run model -- pull ${name}`
  console.log(isWhole(path) ? `${name}: ${path}` : missing)
  return 0
}

function wanted (name: string): Listed | NonNullable<ReturnType<typeof parseHubName>> {
  const found = MODELS.find(model => model.name === name.toLowerCase()) ?? parseHubName(name)
  if (found) return found
  throw new UsageError(`${name} is not known. Give hf:user/repo:Q4_K_M, or one of: ${MODELS.map(({ name }) => name).join(', ')}.`)
}
