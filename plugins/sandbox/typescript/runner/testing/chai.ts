import { chai } from '@vitest/expect'

export const { expect, assert, should, Should, use, util, config, Assertion, AssertionError } = chai as typeof chai & { Should: unknown }
export default chai
