import type { Catalogue } from '../catalogue.ts'

export const KINDS: Catalogue['kinds'] = {
  registration: 'abertura de conta',
  payment: 'pagamento',
  charge: 'cobrança',
  openBanking: 'pagamento por open banking',
  'open-banking': 'pagamento por open banking',
  instantPayment: 'Pix',
  'instant-payment': 'Pix',
  probe: 'chamada de teste do serviço',
  operator: 'aviso do gateway',
}
