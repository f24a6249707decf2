import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROBE_BODY, probeEndpoint } from '../../probe/two-request-probe.ts'
import type { MadeCallback, SeenEvent, Step, Tour } from './tour.ts'
import { becomesTrue, mustHold } from './waiting.ts'

const PROBE_TIMEOUT_MS = 5000
const DUPLICATED = '7000000010'
const KINDS = ['registration', 'payment', 'charge'] as const

export const start: Step = {
  title: 'The simulated service and a gateway start',
  async run(tour, { did, saw }) {
    await did('Creating a temporary folder with a configuration and a full set of test certificates.')
    await tour.open()
    await saw(tour.site.folder)
    await did('Starting the simulated service: portaria simulator, with certificates of its own.')
    await tour.startService()
    const { pid: servicePid, environments, control } = tour.simulator
    await saw(
      `process ${servicePid}: ${environments.sandbox.baseAddresses.payment} and other interfaces, control at ${control}`,
    )
    await did(
      'Starting the gateway: the real program in its own process, with a SQLite database. It trusts the CA certificates of that service.',
    )
    await tour.startGateway()
    const { pid, callbacks, api } = tour.gateway
    await saw(`process ${pid}: callbacks on https://localhost:${callbacks.port}, API on http://${api.host}:${api.port}`)
    await did(
      'Starting a receiver, instead of your own system, and creating a destination for it: POST /v1/destinations',
    )
    const { url } = tour.receiver
    const body = { name: 'receiver', url }
    const { id, secret } = await tour.askApi<{ id: string; secret: string }>('POST', '/v1/destinations', body)
    tour.receiver.secret = secret
    await saw(`destination ${id} at ${url}; its signatures are verified with ${secret}`)
    return { pid, servicePid, callbacks, api, destination: id }
  },
}

export const refuseWithoutCertificate: Step = {
  title: 'Callers without a client certificate are refused',
  async run(tour, { did, saw }) {
    const { site, signal } = tour
    await did("Making the service's two requests, without and with its certificate, in TLS 1.2 and in TLS 1.3.")
    const ofService = (extension: string) =>
      readFileSync(join(site.service, `service/production-client.${extension}`), 'utf8')
    const report = await probeEndpoint(
      {
        url: new URL(tour.urlOf('payment')),
        certificate: ofService('crt'),
        privateKey: ofService('key'),
        authorities: [readFileSync(site.serverCaFile, 'utf8')],
        isInsecure: false,
        body: Buffer.from(PROBE_BODY),
        timeoutMs: PROBE_TIMEOUT_MS,
      },
      signal,
    )
    for (const row of report.rows) await saw(`${row.tlsVersion} ${row.request}: ${row.detail}`)
    const withoutCertificate = report.rows.filter((row) => row.request === 'without certificate')
    mustHold(report.ok, `the two requests did not end as they must: ${report.rows.map((row) => row.detail).join('; ')}`)
    mustHold(
      withoutCertificate.every((row) => row.outcome === 'handshake_failure'),
      'the caller without a certificate was refused, but not in the TLS handshake',
    )
    return {
      requests: report.rows.map(({ request, tlsVersion, ok, outcome }) => ({ request, tlsVersion, ok, outcome })),
    }
  },
}

export const separateEnvironments: Step = {
  title: 'The peer certificate determines the environment',
  async run(tour, { did, saw }) {
    // The service calls registered addresses only; in the sandbox they are since the second step.
    for (const kind of KINDS)
      await tour.service.ask('payment', 'PUT /v1/webhook', { url: tour.urlOf(kind) }, 'production')
    const stamped: Record<string, string> = {}
    for (const [environment, subject] of [
      ['sandbox', '7000000001'],
      ['production', '7000000002'],
    ] as const) {
      await did(`Sending payment ${subject} with the ${environment} certificate, then asking GET /v1/events.`)
      const status = await tour.call(paymentSettled(subject), environment)
      mustHold(status === 200, `the call was answered with ${status ?? 'nothing'}, not 200`)
      const [event] = await eventsOf(tour, subject)
      await saw(`answered ${status}; event ${event?.id} has the environment ${event?.environment}`)
      mustHold(
        event?.environment === environment,
        `the event has the environment ${event?.environment}, not ${environment}`,
      )
      stamped[environment] = event.id
    }
    return { stamped }
  },
}

export const acceptEveryKind: Step = {
  title: 'Registrations, payments and charges are stored, each once',
  async run(tour, { did, saw }) {
    async function mustBeTaken(callback: MadeCallback): Promise<void> {
      const status = await tour.call(callback)
      const path = `/callbacks/${callback.kind}`
      const beginning = JSON.stringify(callback.body).slice(0, 64)
      await saw(`POST ${path} ${beginning}… answered ${status ?? 'nothing'}`)
      mustHold(status === 200, `POST ${path} was answered with ${status ?? 'nothing'}, not 200`)
    }
    const payment = paymentSettled(DUPLICATED)
    await did('Sending one callback of each kind.')
    for (const callback of [REGISTRATION, payment, CHARGE]) await mustBeTaken(callback)
    await did(`Sending payment ${DUPLICATED} again, as a service does after a lost response.`)
    await mustBeTaken(payment)
    const events = await eventsOf(tour, DUPLICATED)
    const duplicates = events[0]?.duplicates
    await saw(`GET /v1/events shows ${events.length} event for it, which counts ${duplicates} duplicate`)
    mustHold(events.length === 1 && duplicates === 1, `expected one event that counts one duplicate`)
    return { kinds: KINDS, duplicates }
  },
}

export const forward: Step = {
  title: 'Everything is forwarded to the receiver, signed',
  async run(tour, { did, saw, quote }) {
    const { receiver, signal } = tour
    await did(
      'Waiting until the receiver has every event; it verifies each signature (Standard Webhooks) independently.',
    )
    const expected = tour.counts.acknowledged
    const isComplete = await becomesTrue(() => receiver.received.size + receiver.refused >= expected, signal)
    await saw(
      `${receiver.received.size} of ${expected} events arrived with a good signature, ${receiver.refused} with a bad one`,
    )
    mustHold(receiver.refused === 0, `${receiver.refused} deliveries had a signature that does not verify`)
    mustHold(isComplete, `only ${receiver.received.size} of ${expected} events arrived`)
    const [event] = await eventsOf(tour, DUPLICATED)
    const example = receiver.received.get(event?.id ?? '')
    mustHold(example !== undefined, `event ${event?.id} of the store did not arrive under this webhook-id`)
    const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'portaria-kind', 'portaria-environment']
    for (const name of headers) await quote(`${name}: ${example.headers[name]}`)
    await quote(example.body.toString('utf8'))
    await did('Changing the amount in a copy of it and verifying that copy.')
    const forged = Buffer.from(example.body.toString('utf8').replace('150.10', '950.10'))
    const isFooled = receiver.verifies({ headers: example.headers, body: forged })
    await saw(isFooled ? 'the signature still verifies' : 'the signature no longer verifies')
    mustHold(!isFooled, 'a changed body was verified')
    return {
      verified: receiver.received.size,
      refused: receiver.refused,
      example: example.headers['webhook-signature'],
    }
  },
}

function eventsOf(tour: Tour, subject: string): Promise<SeenEvent[]> {
  return tour.list('/v1/events', `&subject=${subject}`)
}

export function paymentSettled(subject: string): MadeCallback {
  const body = {
    identificador: subject,
    status: { anterior: 'EXECUTADO', atual: 'LIQUIDADO' },
    valor: '150.10',
    horario: { solicitacao: '2026-01-30T14:03:05.000Z', liquidacao: '2026-01-30T14:03:07.000Z' },
    extras: {},
  }
  return { kind: 'payment', subject, body }
}

const REGISTRATION: MadeCallback = {
  kind: 'registration',
  subject: 'conta-0001',
  body: { contaSimplificada: { identificador: 'conta-0001' }, evento: 'conta_aberta' },
}

const ENTRY = { charge_id: 900_001, custom_id: null, status: 'paid', created_at: '2026-01-30 14:03:05' }
const CHARGE: MadeCallback = {
  kind: 'charge',
  subject: String(ENTRY.charge_id),
  body: { notification: { token: '5b8e0c1e-7f0d-4c7e-9d5f-2f1f0c6f7a11', entries: [ENTRY] } },
}
