/** One callback of the service: its subject, and its body in the form of such services. */
export interface ServiceCallback {
  readonly path: string
  readonly subject: string
  readonly body: string
}

export function registrationOpened(subject: string): ServiceCallback {
  const body = { contaSimplificada: { identificador: subject }, evento: 'conta_aberta' }
  return { path: '/callbacks/registration', subject, body: JSON.stringify(body) }
}

export function paymentSettled(subject: string): ServiceCallback {
  const body = {
    identificador: subject,
    status: { anterior: 'EXECUTADO', atual: 'LIQUIDADO' },
    valor: '150.10',
    horario: { solicitacao: '2026-01-30T14:03:05.000Z', liquidacao: '2026-01-30T14:03:07.000Z' },
    extras: {},
  }
  return { path: '/callbacks/payment', subject, body: JSON.stringify(body) }
}

export function chargePaid(chargeId: number): ServiceCallback {
  const entry = { charge_id: chargeId, custom_id: null, status: 'paid', created_at: '2026-01-30 14:03:05' }
  const body = { notification: { token: '5b8e0c1e-7f0d-4c7e-9d5f-2f1f0c6f7a11', entries: [entry] } }
  return { path: '/callbacks/charge', subject: String(chargeId), body: JSON.stringify(body) }
}
