import { z } from 'zod'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import { carnetRecord, carnetRecordOf, carnetState, carnetStateOf } from './carnet-record.ts'
import { findCarnet, listCarnets } from './carnets.ts'

/** Carnets of all accounts. */
export function carnetControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'listCarnets',
      method: 'get',
      path: '/carnets',
      summary: 'List the carnets of all accounts',
      answers: { 200: { description: 'The carnets', schema: z.object({ carnets: z.array(carnetState) }) } },
      run: ({ site }) => ({
        status: 200,
        json: { carnets: listCarnets(site).map((carnet) => carnetStateOf(site, carnet)) },
      }),
    }),
    controlEndpoint({
      id: 'showCarnet',
      method: 'get',
      path: '/carnets/:id',
      summary: 'Show a carnet with its parcels, its history, and what comes next and when',
      answers: {
        200: { description: 'The carnet', schema: carnetRecord },
        404: { description: 'No carnet has this id' },
      },
      run({ site, params: { id = '' } }) {
        const carnet = findCarnet(site, id)
        if (carnet === undefined)
          throw new ControlError(
            404,
            `no carnet of ${site.environment} has this id: see GET /control/carnets, or choose the other environment`,
          )
        return { status: 200, json: carnetRecordOf(site, carnet) }
      },
    }),
  ]
}
