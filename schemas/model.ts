import * as Type from 'typebox'

export const Model = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer({ description: 'When the agent was registered, Unix time in seconds' }),
  owned_by: Type.String(),
  description: Type.String(),
  max_input_tokens: Type.Integer(),
  max_output_tokens: Type.Integer()
})
export type Model = Type.Static<typeof Model>

export const ModelList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Model)
})

export const ModelParams = Type.Object({ id: Type.String() })
