import { ADDRESS, CUSTOMER } from '../charges/charge-client.ts'
import type { Caller } from './calls.ts'

const CARNET = {
  items: [{ name: 'Curso', value: 10_000, amount: 1 }],
  customer: { ...CUSTOMER, birth: '1990-01-31', address: ADDRESS },
  ...{ expire_at: '2026-06-10', repeats: 3, message: 'Obrigado' },
}

/** Carnets, of DECISIONS.md. */
export async function carnetCalls({ call, control, surroundings }: Caller): Promise<void> {
  if (!surroundings.methods.includes('createCarnet')) return
  const { data } = await call('createCarnet', 'with metadata', {
    ...CARNET,
    metadata: { custom_id: 'A-1', notification_url: surroundings.notifications },
  })
  const id = data.carnet_id
  await call('detailCarnet', 'up to date', { id })
  const { callbacks } = await control('GET', '/callbacks?interface=charges')
  const token = new URLSearchParams(callbacks.at(-1).body).get('notification')
  await call('getNotification', 'of a carnet', { token })
  await call('createCarnet', 'the required members', { ...CARNET, customer: CUSTOMER, message: undefined })
}
