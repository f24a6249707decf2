import { PROBE_BODY, probeEndpoint } from '../../probe/two-request-probe.ts'
import { chargePaid, paymentSettled, registrationOpened, type ServiceCallback } from './callbacks.ts'
import { clientPair, serverAuthority } from './caller.ts'
import type { Step } from './step.ts'
import { becomesTrue, mustHold } from './waiting.ts'

const PROBE_TIMEOUT_MS = 5000
const DUPLICATED = '7000000010'

export const start: Step = {
  title: 'The simulated service and a gateway start',
  async run(tour, narration) {
    await narration.did('Creating a temporary folder with a configuration and a full set of test certificates.')
    await tour.open()
    await narration.saw(tour.site.folder)
    await narration.did('Starting the simulated service: portaria simulator, with certificates of its own.')
    await tour.startService()
    const { pid: servicePid, started } = tour.simulator
    const { baseAddresses } = started.environments.sandbox
    await narration.saw(
      `process ${servicePid}: ${baseAddresses.payment} and other interfaces, control at ${started.control}`,
    )
    await narration.did(
      'Starting the gateway: the real program in its own process, with a SQLite database. It trusts the CA certificates of that service.',
    )
    await tour.startGateway()
    const { pid, callbacks, api } = tour.gateway
    await narration.saw(
      `process ${pid}: callbacks on https://localhost:${callbacks.port}, API on http://${api.host}:${api.port}`,
    )
    await narration.did(
      'Starting a receiver, instead of your own system, and creating a destination for it: POST /v1/destinations',
    )
    const { id, secret } = await tour.api.makeDestination(tour.receiver.url)
    tour.receiver.expectSecret(secret)
    await narration.saw(`destination ${id} at ${tour.receiver.url}; its signatures are verified with ${secret}`)
    return { pid, servicePid, callbacks, api, destination: id }
  },
}

export const refuseWithoutCertificate: Step = {
  title: 'Callers without a client certificate are refused',
  async run(tour, narration) {
    const { site, gateway, signal } = tour
    await narration.did(
      "Making the service's two requests, without and with its certificate, in TLS 1.2 and in TLS 1.3.",
    )
    const report = await probeEndpoint(
      {
        url: new URL(`https://localhost:${gateway.callbacks.port}/callbacks/payment`),
        ...pairOf(clientPair(site, 'production')),
        authorities: [serverAuthority(site)],
        isInsecure: false,
        body: Buffer.from(PROBE_BODY),
        timeoutMs: PROBE_TIMEOUT_MS,
      },
      signal,
    )
    for (const row of report.rows) await narration.saw(`${row.tlsVersion} ${row.request}: ${row.detail}`)
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

function pairOf({ cert, key }: { cert: string; key: string }) {
  return { certificate: cert, privateKey: key }
}

export const separateEnvironments: Step = {
  title: 'The peer certificate determines the environment',
  async run(tour, narration) {
    const stamped: Record<string, string> = {}
    for (const [environment, subject] of [
      ['sandbox', '7000000001'],
      ['production', '7000000002'],
    ] as const) {
      await narration.did(`Sending payment ${subject} with the ${environment} certificate, then asking GET /v1/events.`)
      const status = await tour.caller.call(tour.gateway.callbacks, paymentSettled(subject), environment)
      mustHold(status === 200, `the call was answered with ${status ?? 'nothing'}, not 200`)
      const [event] = await tour.api.events(subject)
      await narration.saw(`answered ${status}; event ${event?.id} has the environment ${event?.environment}`)
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
  async run(tour, narration) {
    const payment = paymentSettled(DUPLICATED)
    await narration.did('Sending one callback of each kind.')
    for (const callback of [registrationOpened('conta-0001'), payment, chargePaid(900001)]) {
      await mustBeTaken(callback)
    }
    await narration.did(`Sending payment ${DUPLICATED} again, as a service does after a lost response.`)
    await mustBeTaken(payment)
    const events = await tour.api.events(DUPLICATED)
    const duplicates = events[0]?.duplicates
    await narration.saw(`GET /v1/events shows ${events.length} event for it, which counts ${duplicates} duplicate`)
    mustHold(events.length === 1 && duplicates === 1, `expected one event that counts one duplicate`)
    return { kinds: ['registration', 'payment', 'charge'], duplicates }

    async function mustBeTaken({ path, subject, body }: ServiceCallback): Promise<void> {
      const status = await tour.caller.call(tour.gateway.callbacks, { path, subject, body })
      await narration.saw(`POST ${path} ${body.slice(0, 64)}… answered ${status ?? 'nothing'}`)
      mustHold(status === 200, `POST ${path} was answered with ${status ?? 'nothing'}, not 200`)
    }
  },
}

export const forward: Step = {
  title: 'Everything is forwarded to the receiver, signed',
  async run(tour, narration) {
    const { receiver, signal, api } = tour
    await narration.did(
      'Waiting until the receiver has every event; it verifies each signature (Standard Webhooks) independently.',
    )
    const expected = tour.counts.acknowledged
    const isComplete = await becomesTrue(() => receiver.received.size + receiver.refused >= expected, signal)
    await narration.saw(
      `${receiver.received.size} of ${expected} events arrived with a good signature, ${receiver.refused} with a bad one`,
    )
    mustHold(receiver.refused === 0, `${receiver.refused} deliveries had a signature that does not verify`)
    mustHold(isComplete, `only ${receiver.received.size} of ${expected} events arrived`)
    const [event] = await api.events(DUPLICATED)
    const example = receiver.received.get(event?.id ?? '')
    mustHold(example !== undefined, `event ${event?.id} of the store did not arrive under this webhook-id`)
    const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'portaria-kind', 'portaria-environment']
    for (const name of headers) await narration.saw(`  ${name}: ${example.headers[name]}`)
    await narration.saw(`  ${example.body}`)
    await narration.did('Changing the amount in a copy of it and verifying that copy.')
    const forged = Buffer.from(example.body.toString('utf8').replace('150.10', '950.10'))
    const isFooled = receiver.verifies({ headers: example.headers, body: forged })
    await narration.saw(isFooled ? 'the signature still verifies' : 'the signature no longer verifies')
    mustHold(!isFooled, 'a changed body was verified')
    return {
      verified: receiver.received.size,
      refused: receiver.refused,
      example: example.headers['webhook-signature'],
    }
  },
}
