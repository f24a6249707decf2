import type { Scope } from '../../../src/domain/scopes.ts'

/**
 * The access rules, written a second time on purpose: `src` must agree with them. A new endpoint is added here too, with a decision who
 * may use it and on whose objects.
 */

/** Any of the scopes is enough. `operator`: only the operator. `everybody`: no token is needed. */
export const ACCESS: Readonly<Record<string, readonly Scope[] | 'operator' | 'everybody'>> = {
  'GET /v1/events': ['events.read', 'support.read'],
  'GET /v1/events/stream': ['events.read'],
  'GET /v1/events/{id}': ['events.read', 'support.read'],
  'GET /v1/events/{id}/original': ['events.read'],
  'GET /v1/events/{id}/proof': ['events.read'],
  'GET /v1/events/{id}/deliveries': ['events.read', 'support.read'],
  'POST /v1/events/{id}/unmask': ['support.unmask'],
  'POST /v1/events/{id}/replay': ['events.replay', 'support.replay'],
  'GET /v1/subjects': ['events.read', 'support.read'],
  'GET /v1/consumers': ['events.read'],
  'GET /v1/consumers/{name}': ['events.read'],
  'DELETE /v1/consumers/{name}': ['events.read'],
  'POST /v1/consumers/{name}/batches': ['events.read'],
  'POST /v1/consumers/{name}/ack': ['events.read'],
  'POST /v1/consumers/{name}/seek': ['events.read'],
  'POST /v1/replays': ['events.replay'],
  'GET /v1/replays': ['events.replay', 'events.read'],
  'GET /v1/replays/{id}': ['events.replay', 'events.read'],
  'DELETE /v1/replays/{id}': ['events.replay'],
  'GET /v1/deliveries': ['operations.read'],
  'GET /v1/deliveries/{id}': ['operations.read'],
  'POST /v1/deliveries/{id}/retry': ['operations.write', 'support.replay'],
  'POST /v1/deliveries/{id}/skip': ['operations.write'],
  'GET /v1/quarantine': ['operations.read'],
  'GET /v1/quarantine/{id}': ['operations.read'],
  'POST /v1/quarantine/{id}/release': ['operations.write'],
  'POST /v1/quarantine/{id}/discard': ['operations.write'],
  'GET /v1/destinations': ['destinations.read'],
  'POST /v1/destinations': ['destinations.write'],
  'GET /v1/destinations/{id}': ['destinations.read'],
  'PATCH /v1/destinations/{id}': ['destinations.write'],
  'DELETE /v1/destinations/{id}': ['destinations.write'],
  'GET /v1/destinations/{id}/stats': ['destinations.read'],
  'GET /v1/destinations/{id}/secret': ['destinations.write'],
  'POST /v1/destinations/{id}/rotate-secret': ['destinations.write'],
  'POST /v1/destinations/{id}/pause': ['destinations.write'],
  'POST /v1/destinations/{id}/resume': ['destinations.write'],
  'POST /v1/destinations/{id}/test': ['destinations.write'],
  'POST /registration/v1/webhook': ['registration.webhook.write'],
  'GET /registration/v1/webhooks': ['registration.webhook.read'],
  'GET /registration/v1/webhook/{identificadorWebhook}': ['registration.webhook.read'],
  'DELETE /registration/v1/webhook/{identificadorWebhook}': ['registration.webhook.write'],
  'PUT /payment/v1/webhook': ['payment.webhook.write'],
  'GET /payment/v1/webhook': ['payment.webhook.read'],
  'DELETE /payment/v1/webhook': ['payment.webhook.write'],
  'PUT /charges/v1/charge/{id}/metadata': ['charges.metadata.write'],
  'PUT /charges/v1/subscription/{id}/metadata': ['charges.metadata.write'],
  'GET /v1/refusals': ['operations.read'],
  'GET /v1/refusals/{id}': ['operations.read'],
  'GET /v1/audit': ['operations.read'],
  'GET /v1/certificates': ['operations.read'],
  'POST /v1/certificates/trust/diff': ['operations.read'],
  'GET /v1/nodes': ['operations.read'],
  'GET /v1/service': ['operations.read'],
  'GET /v1/service/reconcile': ['operations.read'],
  'POST /v1/service/reconcile': ['operations.write'],
  'POST /v1/service/expected': ['operations.write'],
  'POST /v1/expected': ['expected.write'],
  'GET /v1/gaps': ['operations.read', 'events.read'],
  'GET /v1/overview': ['operations.read'],
  'GET /v1/check': ['operations.read'],
  'GET /v1/alarms': ['operations.read'],
  'POST /v1/alarms/test': ['operations.write'],
  'POST /v1/alarms/mutes': ['operations.write'],
  'DELETE /v1/alarms/mutes/{id}': ['operations.write'],
  'GET /v1/overview/stream': ['operations.read'],
  'GET /v1/traffic': ['operations.read'],
  'GET /v1/search': ['operations.read'],
  'POST /v1/search/reindex': ['operations.write'],
  'GET /metrics': ['operations.read'],
  'POST /v1/registrations': 'operator',
  'GET /v1/clients': 'operator',
  'POST /v1/clients': 'operator',
  'GET /v1/clients/{id}': 'operator',
  'POST /v1/clients/{id}/rotate': 'operator',
  'POST /v1/clients/{id}/revoke': 'operator',
  'POST /v1/storage/confirm-clock': 'operator',
  'POST /v1/storage/prune': 'operator',
  'GET /v1/storage/prune': 'operator',
  'POST /v1/storage/redact': 'operator',
  'GET /v1/gateway': 'operator',
  'POST /v1/gateway/configuration/reload': 'operator',
  'POST /v1/gateway/reload': 'operator',
  'POST /oauth/token': 'everybody',
  'POST /oauth/device_authorization': 'everybody',
  'POST /oauth/revoke': 'everybody',
  'POST /registration/v1/oauth/token': 'everybody',
  'POST /payment/v1/oauth/token': 'everybody',
  'POST /charges/v1/authorize': 'everybody',
  'GET /healthz': 'everybody',
  'GET /readyz': 'everybody',
  'GET /openapi.json': 'everybody',
  'GET /reference': 'everybody',
  'GET /certificates/chain.pem': 'everybody',
}

/**
 * `own`: the asking client's, of its environment. `foreign`: of another client of the same environment. `elsewhere`: of a client of the other
 * environment. `house`: the operator's.
 */
export const PARTIES = ['own', 'foreign', 'elsewhere', 'house'] as const
export type PartyName = (typeof PARTIES)[number]

export type Kind =
  | 'event'
  | 'environment'
  | 'consumer'
  | 'replay'
  | 'delivery'
  | 'quarantined'
  | 'destination'
  | 'registration'
  | 'payment webhook'
  | 'charge route'
  | 'subscription route'
  | 'refusal'
  | 'nothing'

/** An operation upon objects of one kind. */
export interface Row {
  readonly operation: string
  readonly kind: Kind
  /** Whose objects an answer lists, in place of a status for each. */
  readonly isList: boolean
  /** Expected with a scope of the operation alone, with operations.read beside it, and with operations.write beside it. */
  /** Only for tokens with this scope of the operation; left out: for all of its scopes that have no row of their own. */
  readonly scope?: Scope
  readonly expected: readonly [alone: string, withRead: string, withWrite: string]
}

type Expected = readonly [alone: string, withRead: string, withWrite: string]
const row = (operation: string, kind: Kind, ...expected: Expected): Row => ({
  operation,
  kind,
  expected,
  isList: false,
})
const list = (operation: string, kind: Kind, ...expected: Expected): Row => ({
  operation,
  kind,
  expected,
  isList: true,
})

const ALL = 'own foreign elsewhere house'

/** A status each: own, foreign, elsewhere, house; `-` where there is no such object. */
// biome-ignore format: a table
export const ROWS: readonly Row[] = [
  //                                                                     alone              operations.read    operations.write
  list('GET /v1/events', 'event',                                        'own',             'own elsewhere',   'own elsewhere'),
  row('GET /v1/events', 'environment',                                   '200 - 403 -',     '200 - 200 -',     '200 - 200 -'),
  list('GET /v1/subjects', 'event',                                      'own',             'own elsewhere',   'own elsewhere'),
  row('GET /v1/subjects', 'environment',                                 '200 - 403 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/events/stream', 'environment',                            '200 - 403 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/events/{id}', 'event',                                    '200 - 404 404',   '200 - 200 200',   '200 - 200 200'),
  list('GET /v1/events/{id}', 'destination',                             'own',             'own foreign house', 'own foreign house'),
  { ...list('GET /v1/events/{id}', 'destination',                        'own foreign house', 'own foreign house', 'own foreign house'), scope: 'support.read' },
  row('GET /v1/events/{id}/original', 'event',                           '200 - 404 404',   '200 - 200 200',   '200 - 200 200'),
  row('GET /v1/events/{id}/proof', 'event',                              '200 - 404 404',   '200 - 200 200',   '200 - 200 200'),
  row('GET /v1/events/{id}/deliveries', 'event',                         '200 - 404 404',   '200 - 200 200',   '200 - 200 200'),
  list('GET /v1/events/{id}/deliveries', 'destination',                  'own',             'own foreign house', 'own foreign house'),
  { ...list('GET /v1/events/{id}/deliveries', 'destination',             'own foreign house', 'own foreign house', 'own foreign house'), scope: 'support.read' },
  row('POST /v1/events/{id}/unmask', 'event',                            '200 - 404 404',   '200 - 404 200',   '200 - 200 200'),
  // With operations.read a client may be sent the events of kind operator, but not those of the other environment.
  row('POST /v1/events/{id}/replay', 'event',                            '200 - 404 404',   '200 - 404 200',   '200 - 200 200'),
  row('POST /v1/events/{id}/replay', 'destination',                      '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  // Only to destinations that have a delivery of the event: these have none.
  { ...row('POST /v1/events/{id}/replay', 'event',                       '403 - 404 404',   '403 - 404 403',   '200 - 200 200'), scope: 'support.replay' },
  { ...row('POST /v1/events/{id}/replay', 'destination',                 '403 404 404 404', '403 404 404 404', '200 200 200 200'), scope: 'support.replay' },
  list('GET /v1/consumers', 'consumer',                                  'own',             ALL,               ALL),
  row('GET /v1/consumers/{name}', 'consumer',                            '200 404 404 404', '200 200 200 200', '200 200 200 200'),
  row('DELETE /v1/consumers/{name}', 'consumer',                         '204 404 404 404', '204 404 404 404', '204 204 204 204'),
  // Under another's name there is one's own.
  row('POST /v1/consumers/{name}/batches', 'consumer',                   '200 200 200 200', '200 200 200 200', '200 200 200 200'),
  row('POST /v1/consumers/{name}/batches', 'environment',                '200 - 403 -',     '200 - 403 -',     '200 - 200 -'),
  row('POST /v1/consumers/{name}/ack', 'consumer',                       '200 409 409 409', '200 409 409 409', '200 409 409 409'),
  row('POST /v1/consumers/{name}/seek', 'consumer',                      '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  row('POST /v1/replays', 'destination',                                 '202 400 400 400', '202 400 400 400', '202 202 202 202'),
  row('POST /v1/replays', 'environment',                                 '202 - 403 -',     '202 - 403 -',     '202 - 202 -'),
  list('GET /v1/replays', 'replay',                                      'own',             ALL,               ALL),
  row('GET /v1/replays/{id}', 'replay',                                  '200 404 404 404', '200 200 200 200', '200 200 200 200'),
  row('DELETE /v1/replays/{id}', 'replay',                               '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  list('GET /v1/deliveries', 'delivery',                                 ALL,               ALL,               ALL),
  row('GET /v1/deliveries/{id}', 'delivery',                             '200 200 200 200', '200 200 200 200', '200 200 200 200'),
  row('POST /v1/deliveries/{id}/retry', 'delivery',                      '200 200 200 200', '200 200 200 200', '200 200 200 200'),
  { ...row('POST /v1/deliveries/{id}/retry', 'delivery',                 '200 200 404 200', '200 200 404 200', '200 200 200 200'), scope: 'support.replay' },
  row('POST /v1/deliveries/{id}/skip', 'delivery',                       '200 200 200 200', '200 200 200 200', '200 200 200 200'),
  list('GET /v1/quarantine', 'quarantined',                              'own elsewhere',   'own elsewhere',   'own elsewhere'),
  row('GET /v1/quarantine/{id}', 'quarantined',                          '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('POST /v1/quarantine/{id}/release', 'quarantined',                 '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('POST /v1/quarantine/{id}/discard', 'quarantined',                 '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  list('GET /v1/destinations', 'destination',                            'own',             ALL,               ALL),
  row('POST /v1/destinations', 'environment',                            '201 - 403 -',     '201 - 403 -',     '201 - 201 -'),
  row('GET /v1/destinations/{id}', 'destination',                        '200 404 404 404', '200 200 200 200', '200 200 200 200'),
  row('PATCH /v1/destinations/{id}', 'destination',                      '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  row('PATCH /v1/destinations/{id}', 'environment',                      '200 - 403 -',     '200 - 403 -',     '200 - 200 -'),
  row('DELETE /v1/destinations/{id}', 'destination',                     '204 404 404 404', '204 404 404 404', '204 204 204 204'),
  row('GET /v1/destinations/{id}/stats', 'destination',                  '200 404 404 404', '200 200 200 200', '200 200 200 200'),
  row('GET /v1/destinations/{id}/secret', 'destination',                 '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  row('POST /v1/destinations/{id}/rotate-secret', 'destination',         '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  row('POST /v1/destinations/{id}/pause', 'destination',                 '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  row('POST /v1/destinations/{id}/resume', 'destination',                '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  row('POST /v1/destinations/{id}/test', 'destination',                  '200 404 404 404', '200 404 404 404', '200 200 200 200'),
  // Somebody else's URL may be registered once more: it is another registration.
  row('POST /registration/v1/webhook', 'registration',                   '409 200 200 200', '409 200 200 200', '409 200 200 200'),
  list('GET /registration/v1/webhooks', 'registration',                  'own',             ALL,               ALL),
  row('GET /registration/v1/webhook/{identificadorWebhook}', 'registration', '200 404 404 404', '200 200 200 200', '200 200 200 200'),
  row('DELETE /registration/v1/webhook/{identificadorWebhook}', 'registration', '204 404 404 404', '204 404 404 404', '204 204 204 204'),
  row('PUT /payment/v1/webhook', 'payment webhook',                      '201 201 201 201', '201 201 201 201', '201 201 201 201'),
  list('GET /payment/v1/webhook', 'payment webhook',                     'own',             ALL,               ALL),
  row('DELETE /payment/v1/webhook', 'payment webhook',                   '204 404 404 404', '204 404 404 404', '204 204 204 204'),
  // Not even operations.write takes a charge from another app. The operator names the environment in each request.
  row('PUT /charges/v1/charge/{id}/metadata', 'charge route',            '200 409 200 409', '200 409 200 409', '200 409 200 409'),
  row('PUT /charges/v1/charge/{id}/metadata', 'environment',             '200 - 403 -',     '200 - 403 -',     '200 - 403 -'),
  row('PUT /charges/v1/subscription/{id}/metadata', 'subscription route', '200 409 200 409', '200 409 200 409', '200 409 200 409'),
  row('PUT /charges/v1/subscription/{id}/metadata', 'environment',       '200 - 403 -',     '200 - 403 -',     '200 - 403 -'),
  list('GET /v1/refusals', 'refusal',                                    'own elsewhere',   'own elsewhere',   'own elsewhere'),
  row('GET /v1/refusals/{id}', 'refusal',                                '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/audit', 'nothing',                                         '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/certificates', 'nothing',                                 '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('POST /v1/certificates/trust/diff', 'nothing',                      '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/nodes', 'nothing',                                        '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/service', 'nothing',                                      '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/service/reconcile', 'nothing',                            '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('POST /v1/service/reconcile', 'nothing',                           '202 - 202 -',     '202 - 202 -',     '202 - 202 -'),
  row('POST /v1/service/expected', 'nothing',                            '202 - 202 -',     '202 - 202 -',     '202 - 202 -'),
  row('POST /v1/expected', 'environment',                                '202 - 403 -',     '202 - 403 -',     '202 - 202 -'),
  row('GET /v1/gaps', 'environment',                                     '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  { ...row('GET /v1/gaps', 'environment',                                '200 - 403 -',     '200 - 200 -',     '200 - 200 -'), scope: 'events.read' },
  row('GET /v1/check', 'nothing',                                        '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/alarms', 'nothing',                                       '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('POST /v1/alarms/test', 'nothing',                                 '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('POST /v1/alarms/mutes', 'nothing',                                '201 - 201 -',     '201 - 201 -',     '201 - 201 -'),
  row('DELETE /v1/alarms/mutes/{id}', 'nothing',                         '404 - 404 -',     '404 - 404 -',     '404 - 404 -'),
  row('GET /v1/overview', 'nothing',                                     '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/overview/stream', 'nothing',                              '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/traffic', 'nothing',                                      '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('GET /v1/search', 'nothing',                                       '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
  row('POST /v1/search/reindex', 'nothing',                              '202 - 202 -',     '202 - 202 -',     '202 - 202 -'),
  row('GET /metrics', 'nothing',                                         '200 - 200 -',     '200 - 200 -',     '200 - 200 -'),
]
