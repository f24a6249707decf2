import { expect, it } from 'vitest'
import type { Method } from '../../../src/api/http/endpoint.ts'
import { checkedOperation } from '../../../src/api/http/operation.ts'
import { operationRoutes } from '../../../src/api/http/routing.ts'

const operation = (method: Method, path: string) =>
  checkedOperation(`${method} ${path}`, {
    method,
    path,
    access: 'public',
    tag: 'Events',
    summary: '',
    errors: 'problem',
    answers: {},
    run: () => ({}),
  })

it('a request is compared once with each path, however many methods it has', () => {
  const operations = [
    operation('get', '/a'),
    operation('get', '/b'),
    operation('post', '/a'),
    operation('delete', '/a'),
  ]
  const pass = () => undefined
  const options = { checkAccess: () => pass, takeTurn: pass, principalOf: () => null }
  const { stack } = operationRoutes(operations, options)
  expect(stack.map(({ route }) => route?.path)).toEqual(['/a', '/b'])
})
