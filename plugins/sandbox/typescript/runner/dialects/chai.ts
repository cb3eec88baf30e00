import * as chai from 'chai'
import { should } from './should.js'

export * from 'chai'
export { should, should as Should }
export default { ...chai, should, Should: should }
