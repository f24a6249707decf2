import type { Environment } from '../../src/interfaces.ts'
import { CUSTOMER, chargeClient } from '../charges/charge-client.ts'
import type { RunningSimulator } from '../running.ts'

/** Calls of carnets of one environment. A carnet has three parcels of 100.00 unless its test says otherwise. */
export function carnetClient(running: () => RunningSimulator, environment: Environment) {
  const client = chargeClient(running, environment)
  const create = (changes: object = {}) =>
    client.call('POST', '/carnet', {
      items: [{ name: 'Course', value: 10_000 }],
      customer: CUSTOMER,
      expire_at: '2026-03-10',
      repeats: 3,
      ...changes,
    })

  async function createCarnet(changes: object = {}): Promise<{ id: number; parcels: number[] }> {
    const { status, text, json } = await create(changes)
    if (status !== 200) throw new Error(`no carnet: ${status} ${text}`)
    const parcels = json.data.charges.map(({ charge_id }: { charge_id: number }) => charge_id)
    return { id: json.data.carnet_id, parcels }
  }
  const recordOf = async (id: number) => (await client.call('GET', `/carnet/${id}`)).json.data

  return {
    ...client,
    create,
    createCarnet,
    recordOf,
    carnetStatusOf: async (id: number): Promise<string> => (await recordOf(id)).status,
    cancel: (parcel: number) => client.call('PUT', `/charge/${parcel}/cancel`),
    pay: (parcel: number, body: object = {}) => client.control('POST', `/charges/${parcel}/pay`, body),
  }
}
