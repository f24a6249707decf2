import type { Environment } from '../../src/interfaces.ts'
import type { Answer, RunningSimulator } from '../running.ts'

export const CUSTOMER = {
  name: 'Ana Souza',
  cpf: '52998224725',
  email: 'ana@example.com',
  phone_number: '11987654321',
}

export const ADDRESS = {
  street: 'Rua das Flores',
  number: '10',
  neighborhood: 'Centro',
  city: 'Ouro Preto',
  state: 'MG',
  zipcode: '35400000',
}

export const LINK = { expire_at: '2026-03-10', request_delivery_address: false, payment_method: 'all' }

/** Calls of the charges interface of one environment. A charge is of 100.00 unless its test says otherwise. */
export function chargeClient(running: () => RunningSimulator, environment: Environment) {
  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    running().ask('charges', { method, path: `/v1${path}`, ...(body !== undefined && { body }) }, environment)
  const control = (method: string, path: string, body?: unknown): Promise<Answer> =>
    running().control(method, `${path}?environment=${environment}`, body)

  async function createCharge(changes: object = {}): Promise<number> {
    const { status, text, json } = await call('POST', '/charge', {
      items: [{ name: 'Book', value: 10_000 }],
      ...changes,
    })
    if (status !== 200) throw new Error(`no charge: ${status} ${text}`)
    return json.data.charge_id
  }
  async function createCard(card: object = {}): Promise<string> {
    return (await control('POST', '/cards', card)).json.payment_token
  }

  return {
    call,
    control,
    createCharge,
    createCard,
    show: async (id: number) => (await call('GET', `/charge/${id}`)).json.data,
    statusOf: async (id: number): Promise<string> => (await call('GET', `/charge/${id}`)).json.data.status,
    payByBillet: (id: number, changes: object = {}, beside: object = {}) =>
      call('POST', `/charge/${id}/pay`, {
        payment: { banking_billet: { customer: CUSTOMER, expire_at: '2026-03-10', ...changes } },
        ...beside,
      }),
    payByCard: async (id: number, changes: object = {}, beside: object = {}) =>
      call('POST', `/charge/${id}/pay`, {
        payment: { credit_card: { customer: CUSTOMER, payment_token: await createCard(), ...changes } },
        ...beside,
      }),
    setTime: (now: string) => running().control('PUT', '/clock', { now, frozen: true }),
    advance: (by: string) => running().control('POST', '/clock/advance', { by }),
  }
}
