import * as chai from 'chai'

export * from 'chai'
export default chai
