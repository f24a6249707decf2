import { expect, it } from 'vitest'
import { PortariaError } from '../../src/domain/errors.ts'
import { createReadiness } from '../../src/domain/readiness.ts'

it('is ready while it listens and nothing fails', () => {
  const readiness = createReadiness()
  expect(readiness.reasons()).toEqual(['the listeners are not open'])
  readiness.setListening(true)
  expect(readiness.reasons()).toEqual([])
  readiness.setBroken(true)
  readiness.setListening(false)
  expect(readiness.reasons()).toEqual(['the listeners are not open', 'the disk fails'])
  readiness.setBroken(false)
  readiness.setListening(true)
  expect(readiness.reasons()).toEqual([])
})

it('is not ready from a callback that could not be stored until one that was', async () => {
  const readiness = createReadiness()
  readiness.setListening(true)
  const store = readiness.watch(async (error: Error | null) => {
    if (error !== null) throw error
    return 'stored'
  })
  const full = new PortariaError('store_unavailable', 'the database refused the write: database or disk is full')

  await expect(store(full)).rejects.toBe(full)
  expect(readiness.reasons()).toEqual([
    'the last callback could not be stored: the database refused the write: database or disk is full',
  ])
  expect(await store(null)).toBe('stored')
  expect(readiness.reasons()).toEqual([])
})

it('stays ready when more comes than the queue takes: that passes by itself', async () => {
  const readiness = createReadiness()
  readiness.setListening(true)
  const overrun = new PortariaError('queue_full', 'more is waiting')
  await expect(readiness.watch(() => Promise.reject(overrun))()).rejects.toBe(overrun)
  expect(readiness.reasons()).toEqual([])
})
