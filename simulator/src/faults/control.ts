import { z } from 'zod'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import { faultSchema } from './fault.ts'
import { isUsedUp, type OrderedFault } from './faults.ts'

const orderedSchema = z.object({
  id: z.int(),
  met: z.int().describe('Calls that it met, whether it changed them or not'),
  changed: z.int().describe('Calls that it changed'),
  isUsedUp: z.boolean(),
  fault: faultSchema,
})

/** Faults of callbacks and of the API, one by one or by seed and probability. */
export function faultControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'orderFault',
      method: 'post',
      path: '/faults',
      summary: 'Order a fault of the next callbacks, or of the next requests to the API',
      body: faultSchema,
      answers: { 201: { description: 'The fault', schema: orderedSchema } },
      run: ({ site, body }) => ({ status: 201, json: viewOf(site.faults.order(body)) }),
    }),
    controlEndpoint({
      id: 'listFaults',
      method: 'get',
      path: '/faults',
      summary: 'List the ordered faults and what they have done',
      answers: { 200: { description: 'The faults', schema: z.object({ faults: z.array(orderedSchema) }) } },
      run: ({ site }) => ({ status: 200, json: { faults: site.faults.list().map(viewOf) } }),
    }),
    controlEndpoint({
      id: 'deleteFault',
      method: 'delete',
      path: '/faults/:id',
      summary: 'Delete a fault',
      answers: { 204: { description: 'Deleted' }, 404: { description: 'No fault has this id' } },
      run({ site, params: { id = '' } }) {
        if (!site.faults.delete(Number(id))) throw new ControlError(404, `no fault has the id ${id}`)
        return { status: 204 }
      },
    }),
    controlEndpoint({
      id: 'deleteFaults',
      isForBoth: true,
      method: 'delete',
      path: '/faults',
      summary: 'Delete all faults of the environment; without one, of both',
      answers: { 204: { description: 'Deleted' } },
      run({ sites }) {
        for (const { faults } of sites) for (const { id } of faults.list()) faults.delete(id)
        return { status: 204 }
      },
    }),
  ]
}

function viewOf(ordered: OrderedFault) {
  const { id, met, changed, fault } = ordered
  return { id, met, changed, isUsedUp: isUsedUp(ordered), fault }
}
