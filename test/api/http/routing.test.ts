import { expect, it } from 'vitest'
import type { Endpoint, Method } from '../../../src/api/http/endpoint.ts'
import { endpointRoutes } from '../../../src/api/http/routing.ts'

const endpoint = (method: Method, path: string): Endpoint => ({
  ...{ id: `${method} ${path}`, method, path, access: 'public', tag: 'Events', summary: '', errors: 'problem' },
  answers: {},
  handler: () => undefined,
})

it('a request is compared once with each path, however many methods it has', () => {
  const endpoints = [endpoint('get', '/a'), endpoint('get', '/b'), endpoint('post', '/a'), endpoint('delete', '/a')]
  const pass = () => undefined
  const { stack } = endpointRoutes(endpoints, () => pass, pass)
  expect(stack.map(({ route }) => route?.path)).toEqual(['/a', '/b'])
})
