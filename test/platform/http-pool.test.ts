import undici from 'undici'
import { expect, it } from 'vitest'
import { errors, Pool } from '../../src/platform/http-pool.ts'

it("the pool and the errors are those of undici's main file", () => {
  expect([Pool === undici.Pool, errors.HTTPParserError === undici.errors.HTTPParserError]).toEqual([true, true])
})
