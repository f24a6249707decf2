import { ADDRESS, CUSTOMER } from '../charges/charge-client.ts'
import type { Caller } from './calls.ts'

const CARNET = {
  items: [{ name: 'Curso', value: 10_000, amount: 1 }],
  customer: { ...CUSTOMER, birth: '1990-01-31', address: ADDRESS },
  expire_at: '2026-06-10',
  repeats: 3,
  message: 'Obrigado',
}

/** Carnets, of service-decisions.md. */
export async function carnetCalls({ call, control, surroundings }: Caller): Promise<void> {
  const { data } = await call('createCarnet', 'with metadata', {
    ...CARNET,
    metadata: { custom_id: 'A-1', notification_url: surroundings.notifications },
  })
  const id = data.carnet_id
  await call('detailCarnet', 'up to date', { id })
  const { callbacks } = await control('GET', '/callbacks?interface=charges')
  const token = new URLSearchParams(callbacks.at(-1).body).get('notification')
  await call('getNotification', 'of a carnet', { token })
  const [first, ...others] = data.charges.map(({ charge_id }: { charge_id: number }) => charge_id)
  await control('POST', `/charges/${first}/expire`)
  await call('detailCarnet', 'with an unpaid parcel', { id })
  for (const parcel of [first, ...others]) await call('cancelCharge', 'parcel', { id: parcel })
  await call('detailCarnet', 'finished', { id })
  await call('createCarnet', 'the required members', { ...CARNET, customer: CUSTOMER, message: undefined })
  const discount = { type: 'currency', value: 500, until_date: '2026-06-05' }
  await call('createCarnet', 'every member', {
    ...CARNET,
    split_items: true,
    configurations: { fine: 200, interest: 33 },
    conditional_discount: discount,
  })
}
