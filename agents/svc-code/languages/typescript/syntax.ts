import type { Syntax } from '../code.js'

export const SYNTAX: Syntax = { comment: '//', blockComments: true, triple: false, templates: true }
