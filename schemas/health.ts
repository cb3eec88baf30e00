import * as Type from 'typebox'

/** The name of this service, as clients see it. */
export const SERVICE = 'svc'

export const Health = Type.Object({
  status: Type.Literal('ok'),
  service: Type.Literal(SERVICE)
})

const orNull = <T extends 'string' | 'integer'>(type: T) =>
  Type.Unsafe<(T extends 'string' ? string : number) | null>({ type: [type, 'null'] })

export const BackendState = Type.Object({
  kind: Type.String(),
  url: orNull('string'),
  model: orNull('string'),
  context: orNull('integer'),
  reason: orNull('string'),
  problem: orNull('string'),
  remedy: orNull('string')
})

export const Readiness = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
  backend: BackendState,
  sandbox: Type.Object({ state: Type.String(), problem: orNull('string') })
})
export type Readiness = Type.Static<typeof Readiness>
