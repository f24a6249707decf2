import { onTestFinished } from 'vitest'
import { chargeClient } from '../charges/charge-client.ts'
import { type ReceiverOptions, receiverCaFile, startReceiver } from '../receiver.ts'
import { openingRequest } from '../registration/opening-request.ts'
import { type Answer, type RunningSimulator, runSimulator } from '../running.ts'
import { subscriptionClient } from '../subscriptions/subscription-client.ts'

/** Two simulators of one setting; the second one allows few requests. */
export interface World {
  readonly running: RunningSimulator
  readonly limited: RunningSimulator
  readonly subscriptions: ReturnType<typeof subscriptionClient>
  readonly ofCharges: ReturnType<typeof chargeClient>
  readonly account: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly payment: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly registration: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly openBanking: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly charges: (method: string, path: string, body?: unknown) => Promise<Answer>
  /** A receiver's URL, until the end of the test. */
  receiver(options?: Partial<ReceiverOptions>): Promise<string>
  /** The records of before are gone, and it is Monday noon. */
  begin(): Promise<void>
  /** Barcode of a billet of 100.00 that is due in a week. */
  billet(terms?: object): Promise<string>
  /** A webhook of the registration interface is there. */
  register(): void
  /** An opening of an account is requested; its id. */
  open(): Promise<string>
}

export const NOON = '2026-03-02T15:00:00Z'

export async function startWorld(errors: 'field' | 'strict'): Promise<World & { stop(): Promise<unknown> }> {
  const files = { receiverCaFile: receiverCaFile() }
  const running = await runSimulator({ errors, webhooks: { timeoutSeconds: 1, openBankingTimeoutSeconds: 1 } }, files)
  const limited = await runSimulator({ errors, rateLimit: { perSecond: 0.001, burst: 1 } })
  const at =
    (on: Parameters<RunningSimulator['ask']>[0]) =>
    (method: string, path: string, body?: unknown): Promise<Answer> =>
      running.ask(on, { method, path, ...(body !== undefined && { body }) })
  const registration = at('registration')
  function register(): void {
    const { applications, webhooks } = running.simulator.sites.sandbox
    const [{ account = '' } = {}] = applications.list()
    webhooks.register({ interface: 'registration', account, url: 'https://localhost:1/' })
  }
  return {
    running,
    limited,
    registration,
    account: at('account'),
    payment: at('payment'),
    charges: at('charges'),
    openBanking: at('open-banking'),
    subscriptions: subscriptionClient(() => running, 'sandbox'),
    ofCharges: chargeClient(() => running, 'sandbox'),
    async receiver(options = {}) {
      const { chain } = running.simulator.folder.environments.sandbox
      const started = await startReceiver({ chain, ...options })
      onTestFinished(() => started.stop())
      return started.urlOf('hook')
    },
    async begin() {
      running.simulator.sites.sandbox.records.clear('sandbox.')
      await running.control('PUT', '/clock', { now: NOON, frozen: true })
    },
    async billet(terms = {}) {
      const body = { kind: 'billet', amount: 10_000, dueDate: '2026-03-09', ...terms }
      return (await running.control('POST', '/bills', body)).json.codBarras
    },
    register,
    async open() {
      register()
      const { json } = await registration('POST', '/v1/conta-simplificada', scoped())
      return json.contaSimplificada.identificador
    },
    stop: () => Promise.all([running.stop(), limited.stop()]),
  }
}

/** A valid request of endpoint 13. */
export function scoped(members: object = {}) {
  return openingRequest({ escoposIntegrados: ['svc.balance.read', 'cob.read'], ...members })
}

/** What `nome` or `code` is, where an answer has another form: the end of `type`, or the member in its place. */
export function codeOf({ json }: Answer): string {
  const { nome, code, error, type, erro } = json as Record<string, unknown>
  if (nome !== undefined) return String(nome)
  if (code !== undefined) return `${code} ${error}`
  if (error !== undefined) return String(error)
  if (type !== undefined) return String(type).split('/').at(-1) ?? ''
  return erro === undefined ? 'mensagem' : 'erro'
}
