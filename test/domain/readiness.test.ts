import { expect, it } from 'vitest'
import { createReadiness } from '../../src/domain/readiness.ts'
import { PortariaError } from '../../src/platform/errors.ts'

function anOpenGateway() {
  const readiness = createReadiness()
  readiness.setListening(true)
  readiness.setMigrated(true)
  return readiness
}

it('is ready while it listens and nothing fails', () => {
  const readiness = createReadiness()
  expect(readiness.reasons()).toEqual([
    'the listeners are not open',
    'the database does not have the schema of this program yet',
  ])
  readiness.setMigrated(true)
  expect(readiness.reasons()).toEqual(['the listeners are not open'])
  readiness.setListening(true)
  expect(readiness.reasons()).toEqual([])
  readiness.setBroken('the disk fails')
  readiness.setListening(false)
  expect(readiness.reasons()).toEqual(['the listeners are not open', 'the disk fails'])
  readiness.setBroken(null)
  readiness.setListening(true)
  expect(readiness.reasons()).toEqual([])
})

it('names each part of it, and what is wrong there', () => {
  const readiness = anOpenGateway()
  expect(readiness.checks()).toEqual([
    { name: 'listener', problem: null },
    { name: 'writer', problem: null },
    { name: 'disk', problem: null },
    { name: 'migrations', problem: null },
  ])
  readiness.setShort('space runs out')
  expect(readiness.checks()[2]).toEqual({ name: 'disk', problem: 'space runs out' })
  expect(readiness.reasons()).toEqual(['space runs out'])
  readiness.setShort(null)
  expect(readiness.reasons()).toEqual([])
})

it('is not ready from a callback that could not be stored until one that was', () => {
  const readiness = anOpenGateway()
  const full = new PortariaError('store_unavailable', 'the database refused the write: database or disk is full')

  readiness.notStored(full)
  expect(readiness.reasons()).toEqual([
    'the last callback could not be stored: the database refused the write: database or disk is full',
  ])
  readiness.written()
  expect(readiness.reasons()).toEqual([])
})

it('once the store is open again, what could not be stored before counts no more', () => {
  const readiness = anOpenGateway()
  readiness.setBroken('the disk fails')
  readiness.notStored(new PortariaError('store_unavailable', 'disk I/O error'))
  expect(readiness.reasons()).toEqual(['the disk fails'])
  readiness.setBroken(null)
  expect(readiness.reasons()).toEqual([])
})

it('with space again, what could not be stored for want of it counts no more: no one may call a caller that is not ready', () => {
  const readiness = anOpenGateway()
  const full = new PortariaError('store_unavailable', 'database or disk is full')
  readiness.notStored(full)
  readiness.setShort('the disk is nearly full')
  expect(readiness.reasons()).toHaveLength(2)
  readiness.setShort(null)
  expect(readiness.reasons()).toEqual([])
})

it('stays ready when more comes than the queue takes: that passes by itself', () => {
  const readiness = anOpenGateway()
  readiness.notStored(new PortariaError('queue_full', 'more is waiting'))
  expect(readiness.reasons()).toEqual([])
})
