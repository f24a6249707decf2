import type { NextFunction, Request, Response } from 'express'
import { expect, it, vi } from 'vitest'
import { loadedWhenAsked } from '../../src/gateway/pages.ts'
import type { Pages } from '../../src/pages/app.ts'

const REQUEST = {} as Request
const RESPONSE = {} as Response

/** Pages whose load ends when the test says so. */
function setUp() {
  const loads: PromiseWithResolvers<Pages>[] = []
  const loaded = { serve: vi.fn(), refreshSessions: vi.fn(), endRevoked: vi.fn(), close: vi.fn() }
  const pages = loadedWhenAsked(() => {
    const load = Promise.withResolvers<Pages>()
    loads.push(load)
    return load.promise
  })
  const request = (next: NextFunction = vi.fn()) => pages.serve(REQUEST, RESPONSE, next)
  return { pages, request, loads, loaded }
}

const settled = () => new Promise(setImmediate)

it('requests that come while the pages are loaded wait for one load, and each is served once', async () => {
  const { request, loads, loaded } = setUp()
  expect(loads).toHaveLength(0)

  request()
  request()
  await settled()
  expect(loaded.serve).not.toHaveBeenCalled()

  loads[0]?.resolve(loaded)
  await settled()
  request()

  expect(loads).toHaveLength(1)
  expect(loaded.serve).toHaveBeenCalledTimes(3)
})

it('a load that fails is the error of each request that waits, and the next request tries again', async () => {
  const { request, loads, loaded } = setUp()
  const [first, second] = [vi.fn(), vi.fn()]
  const error = new Error('no such file')

  request(first)
  request(second)
  loads[0]?.reject(error)
  await settled()
  expect([first.mock.calls, second.mock.calls]).toEqual([[[error]], [[error]]])

  request()
  loads[1]?.resolve(loaded)
  await settled()

  expect(loads).toHaveLength(2)
  expect(loaded.serve).toHaveBeenCalledTimes(1)
})

it('pages that are closed while they are loaded are closed once they are, and the request is answered', async () => {
  const { pages, request, loads, loaded } = setUp()

  request()
  pages.close()
  loads[0]?.resolve(loaded)
  await settled()

  expect(loaded.close).toHaveBeenCalledTimes(1)
  expect(loaded.serve).toHaveBeenCalledTimes(1)
})

it('what ends sessions loads nothing, and reaches the pages once they are loaded', async () => {
  const { pages, request, loads, loaded } = setUp()
  await pages.refreshSessions()
  pages.endRevoked()
  expect(loads).toHaveLength(0)

  request()
  loads[0]?.resolve(loaded)
  await settled()
  await pages.refreshSessions()
  pages.endRevoked()
  pages.close()

  expect(loaded.refreshSessions).toHaveBeenCalledTimes(1)
  expect(loaded.endRevoked).toHaveBeenCalledTimes(1)
  expect(loaded.close).toHaveBeenCalledTimes(1)
})
