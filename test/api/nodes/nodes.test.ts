import { expect, it } from 'vitest'
import { nodeViews } from '../../../src/api/nodes/endpoints.ts'
import { nodeListSchema } from '../../../src/api/nodes/schema.ts'
import { JOBS } from '../../../src/domain/nodes/node.ts'
import { aNodeRecord } from '../../support/builders.ts'
import { askJson, startApi } from '../api.ts'

const NODE = aNodeRecord({ id: 3, leases: [JOBS, 7, 8] })

it('GET /v1/nodes is empty where one process alone uses the database', async () => {
  expect(await askJson(await startApi(), '/v1/nodes')).toEqual({ data: [] })
})

it('shows what each node does, and how it differs', () => {
  const data = nodeViews([NODE, { ...NODE, name: 'node-2', facts: { kinds: 'b' }, leases: [] }])
  expect(nodeListSchema.parse({ data })).toEqual({
    data: [
      {
        name: 'node-1',
        version: '1.0.0',
        startedAt: '1970-01-01T00:00:00.000Z',
        seenAt: '1970-01-01T00:01:00.000Z',
        living: true,
        jobs: true,
        destinations: ['dst_7', 'dst_8'],
        configuration: null,
        differs: [],
      },
      expect.objectContaining({ name: 'node-2', jobs: false, destinations: [], differs: ['kinds'] }),
    ],
  })
})
