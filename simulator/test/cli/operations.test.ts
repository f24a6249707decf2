import { expect, it } from 'vitest'
import { operationsOf, requestOf } from '../../src/cli/operations.ts'
import type { Schema } from '../../src/documents/json-schema.ts'

function bodyOf(properties: Record<string, Schema>, ...args: string[]): unknown {
  const content = { 'application/json': { schema: { properties } } }
  const described = { operationId: 'makeIt', summary: '', parameters: [], requestBody: { content } }
  const [operation] = operationsOf({ paths: { '/control/it': { post: described } } })
  return requestOf(operation as NonNullable<typeof operation>, args).body
}

it.each<[Schema, string, unknown]>([
  [{ type: 'string' }, '36', '36'],
  [{ type: 'string' }, 'true', 'true'],
  [{ type: 'integer' }, '36', 36],
  [{ type: 'number' }, '0.5', 0.5],
  [{ type: 'integer' }, 'many', 'many'],
  [{ type: 'boolean' }, 'false', false],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'null', null],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'text', 'text'],
  [{ enum: ['a', 'b'] }, 'a', 'a'],
  [{ type: 'array' }, '["a","b"]', ['a', 'b']],
  [{ type: 'array' }, 'a,b', ['a', 'b']],
  [{ type: 'object' }, '{"a":1}', { a: 1 }],
  [{}, '{"a":1}', { a: 1 }],
  [{}, 'text', 'text'],
])('an option with the schema %j turns %s into %j', (schema, text, value) => {
  expect(bodyOf({ dueDate: schema }, '--due-date', text)).toEqual({ dueDate: value })
  expect(bodyOf({ dueDate: schema }, `--dueDate=${text}`)).toEqual({ dueDate: value })
})

it('a member with an underline is an option with a hyphen, and keeps its name', () => {
  expect(bodyOf({ paid_on: { type: 'string' } }, '--paid-on', '2026-03-02')).toEqual({ paid_on: '2026-03-02' })
  expect(bodyOf({ paid_on: { type: 'string' } }, '--paid_on', '2026-03-02')).toEqual({ paid_on: '2026-03-02' })
})

it('options are put over the members of a body as JSON, and a boolean needs no value', () => {
  const properties: Record<string, Schema> = { a: { type: 'integer' }, b: { type: 'boolean' } }
  expect(bodyOf(properties, '{"a":1,"c":2}', '--b', '--a', '3')).toEqual({ a: 3, b: true, c: 2 })
})
