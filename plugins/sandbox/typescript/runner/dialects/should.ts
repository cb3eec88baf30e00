import * as chai from 'chai'
import { defineProperty, getOwnPropertyDescriptor } from '../platform.js'

// chai puts `should` on Object.prototype, which is closed by the time that a test asks for it. So it is there from the start,
// and says nothing until then.
const words = chai.should()
const { get = () => undefined, set = () => {} } = getOwnPropertyDescriptor(Object.prototype, 'should') ?? {}
let isAwake = false

defineProperty(Object.prototype, 'should', {
  get (this: unknown): unknown { return isAwake ? Reflect.apply(get, this, []) : undefined },
  set,
  enumerable: false,
  configurable: false
})

export function should (): typeof words {
  isAwake = true
  return words
}
