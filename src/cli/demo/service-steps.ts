import { readFileSync } from 'node:fs'
import { programFile } from '../../platform/program-files.ts'
import type { Service } from './service.ts'
import type { SeenEvent, Step, Tour } from './tour.ts'
import { becomesTrue, mustHold } from './waiting.ts'

/** Monday noon in São Paulo: bills are paid at once. */
const MONDAY_NOON = '2026-03-02T15:00:00Z'
const MONDAY = '2026-03-02'
const AMOUNT_CENTS = 15_010
/** Beside this program. */
const OPENING = programFile('docs/examples/opening.json')

export const register: Step = {
  title: 'The service accepts the address after two requests',
  async run(tour, { did, saw }) {
    const { service, signal } = tour
    const [registration, payment] = [tour.urlOf('registration'), tour.urlOf('payment')]
    await did(`Registering ${registration} at the service: POST /v1/webhook`)
    await service.ask('registration', 'POST /v1/webhook', { webhookUrl: registration })
    await did(`Registering ${payment} at the service: PUT /v1/webhook`)
    await service.ask('payment', 'PUT /v1/webhook', { url: payment })
    let refusals: readonly { code: string }[] = []
    // Refusals are recorded a moment later.
    await becomesTrue(async () => {
      refusals = await tour.list('/v1/refusals')
      return refusals.length >= 2
    }, signal)
    const refused = refusals.filter(({ code }) => code === 'no_certificate').length
    const accepted = (await tour.list('/v1/events', '&kind=probe')).length
    await saw(`GET /v1/refusals: ${refused} requests without a certificate, refused in the TLS handshake`)
    await saw(`GET /v1/events?kind=probe: ${accepted} test callbacks with its certificate, answered 200`)
    mustHold(refused === 2 && accepted === 2, `${refused} refusals and ${accepted} test callbacks, not 2 of each`)
    return { registered: [registration, payment], refused, accepted }
  },
}

export const businessOfService: Step = {
  title: 'The service calls: an account is opened, a bill paid, a charge canceled',
  async run(tour, { did, quote }) {
    const { service, signal } = tour
    await did(`Setting the simulated clock of the service to ${MONDAY_NOON}: PUT /control/clock`)
    await service.control('PUT', '/clock', { now: MONDAY_NOON, frozen: true })
    await did('Asking a client to open an account, accepting in place of the client, and waiting 2 simulated minutes.')
    await openAccount(service)
    await did('Making a bill by the control API, paying it, and waiting 2 simulated minutes.')
    await payBill(service)
    await did('Creating a charge whose notification_url is the charge listener of the gateway, and canceling it.')
    await cancelCharge(tour)
    let sent = await service.callbacks()
    const areDelivered = await becomesTrue(async () => {
      sent = await service.callbacks()
      return sent.every(({ state }) => state === 'delivered')
    }, signal)
    for (const { interface: on, body } of sent) await quote(`${on}: ${body.slice(0, 100)}…`)
    mustHold(areDelivered, 'the gateway did not answer every callback of the service with 200')
    const subjects = sent.map(({ body }) => subjectOf(body))
    tour.addServiceCallbacks(subjects)
    await did('Polling them: POST /v1/consumers/demo/batches')
    const batch = await tour.askApi<{ data: SeenEvent[]; batch: string }>('POST', '/v1/consumers/demo/batches', {})
    await tour.askApi('POST', '/v1/consumers/demo/ack', { batch: batch.batch })
    const polled = batch.data.filter(({ subject }) => subject !== null && subjects.includes(subject))
    for (const { kind, subject, status } of polled) await quote(`${kind} ${subject}: ${status}`)
    mustHold(polled.length === sent.length, `${sent.length} callbacks were delivered, ${polled.length} events polled`)
    return { callbacks: sent.length, polled: polled.map(({ kind, subject, status }) => ({ kind, subject, status })) }
  },
}

async function openAccount(service: Service): Promise<void> {
  const { contaSimplificada } = await service.ask<{ contaSimplificada: { identificador: string } }>(
    'registration',
    'POST /v1/conta-simplificada',
    JSON.parse(readFileSync(OPENING, 'utf8')),
  )
  await service.control('POST', `/openings/${contaSimplificada.identificador}/accept`)
  await service.control('POST', '/clock/advance', { by: '2m' })
}

async function payBill(service: Service): Promise<void> {
  const { codBarras } = await service.control<{ codBarras: string }>('POST', '/bills', {
    kind: 'billet',
    amount: AMOUNT_CENTS,
  })
  // The service takes a payment only after the detail of the bill was asked for.
  await service.ask('payment', `GET /v1/codBarras/${codBarras}`)
  await service.ask('payment', `POST /v1/codBarras/${codBarras}`, { valor: AMOUNT_CENTS, dataPagamento: MONDAY })
  await service.control('POST', '/clock/advance', { by: '2m' })
}

async function cancelCharge({ service, gateway, site }: Tour): Promise<void> {
  const { data } = await service.ask<{ data: { charge_id: number } }>('charges', 'POST /v1/charge', {
    items: [{ name: 'Book', value: AMOUNT_CENTS }],
    metadata: { notification_url: `https://localhost:${gateway.charges.port}/charges/${site.chargeToken}` },
  })
  await service.ask('charges', `PUT /v1/charge/${data.charge_id}/cancel`)
}

interface CallbackBody {
  readonly identificador?: string
  readonly contaSimplificada?: { readonly identificador: string }
  readonly notification?: { readonly entries: readonly { readonly charge_id: number }[] }
}

function subjectOf(body: string): string {
  const { identificador, contaSimplificada, notification } = JSON.parse(body) as CallbackBody
  return String(identificador ?? contaSimplificada?.identificador ?? notification?.entries[0]?.charge_id)
}
