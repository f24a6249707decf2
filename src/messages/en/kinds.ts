/** Known kinds in words: those of the service's documents, and the gateway's own. A kind is shown as it is configured, with its word beside. */
export const KINDS = {
  registration: 'account opening',
  payment: 'payment',
  charge: 'charge',
  openBanking: 'open-banking payment',
  'open-banking': 'open-banking payment',
  instantPayment: 'Pix',
  'instant-payment': 'Pix',
  probe: 'test call of the service',
  operator: 'message of the gateway',
} as const
